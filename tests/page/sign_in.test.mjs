// An agent that wants credentials shows nothing without them.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Agent } from "./agent.mjs";
import { openBrowser, openTab, PHONE, skip } from "./browser.mjs";

const TOKEN = "correct-horse-battery";
const PASSWORD = "löve lace";
const REFUSED = ["status of 401"];

describe("sign-in", { skip }, () => {
  let agent, browser, url;

  before(async () => {
    const listen_auth = { bearer: TOKEN, username: "ada", password: PASSWORD };
    agent = new Agent({ config: { host_name: "secret-node", listen_auth } });
    browser = await openBrowser();
    url = await agent.url();
  });

  after(async () => {
    await browser?.close();
    await agent?.close();
  });

  it("nothing before, not with a wrong token, everything with the right one", async () => {
    const tab = await openTab(browser, url, { allow: REFUSED });
    await tab.page.getByRole("heading", { name: "Sign in" }).waitFor();
    assert.doesNotMatch(await tab.page.content(), /secret-node|H100|GPU 0/);
    await tab.assertAccessible("the sign-in form");
    await tab.screenshot("sign-in-light-1440");

    await tab.page.getByLabel("Token", { exact: true }).fill("wrong");
    await tab.page.keyboard.press("Enter");
    await tab.page.getByRole("alert").getByText("did not accept").waitFor();
    assert.doesNotMatch(await tab.page.content(), /secret-node|H100|GPU 0/);
    await tab.assertAccessible("a wrong token");

    await tab.page.getByLabel("Token", { exact: true }).fill("not for a header: \u2192");
    await tab.page.keyboard.press("Enter");
    await tab.page.getByRole("alert").getByText("did not accept").waitFor();
    assert.equal(await tab.page.evaluate(() => sessionStorage.length), 0, "a token that cannot be sent is forgotten");

    await tab.page.getByLabel("Token", { exact: true }).fill(TOKEN);
    await tab.page.getByRole("button", { name: "Sign in" }).click();
    await tab.page.locator(".gpu-card").first().waitFor();
    await tab.see("secret-node");
    assert.equal(await tab.page.getByRole("heading", { name: "Sign in" }).count(), 0);

    await tab.page.reload();
    await tab.page.locator(".gpu-card").first().waitFor();
    assert.equal(tab.page.url().includes(TOKEN), false);
    await tab.close();
  });

  it("by user name and password, from a link to a view", async () => {
    const tab = await openTab(browser, `${url}/#/agent`, { allow: REFUSED, size: PHONE, theme: "dark" });
    await tab.page.getByLabel(/User name/).fill("ada");
    await tab.page.getByLabel("Password").fill(PASSWORD);
    await tab.assertNoSidewaysScroll("the sign-in form");
    await tab.screenshot("sign-in-dark-390");
    await tab.page.keyboard.press("Enter");
    await tab.page.getByRole("heading", { name: "Agent", exact: true }).waitFor();
    await tab.page.locator("tbody tr").first().waitFor();
    await tab.close();
  });

  it("another tab has to sign in as well", async () => {
    const tab = await openTab(browser, url, { allow: REFUSED });
    await tab.page.getByRole("heading", { name: "Sign in" }).waitFor();
    await tab.close();
  });
});
