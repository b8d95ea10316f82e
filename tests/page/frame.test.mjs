// What surrounds the views: the keyboard, light and dark.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Agent, waitFor } from "./agent.mjs";
import { openBrowser, openTab, skip } from "./browser.mjs";

describe("frame", { skip }, () => {
  let agent, browser, url;

  before(async () => {
    agent = new Agent();
    browser = await openBrowser();
    url = await agent.url();
    await agent.now("GPUs", (now) => now.gpus.length === 8);
  });

  after(async () => {
    await browser?.close();
    await agent?.close();
  });

  const focused = (tab) => tab.page.evaluate(() => document.activeElement?.id || document.activeElement?.textContent);

  it("the first tab stop leads past the head", async () => {
    const tab = await openTab(browser, url);
    await tab.page.locator(".gpu-card").first().waitFor();
    await tab.page.keyboard.press("Tab");
    const skipLink = tab.page.getByRole("link", { name: "Skip to the content" });
    assert.equal(await focused(tab), "Skip to the content");
    assert.ok((await skipLink.boundingBox()).y >= 0, "it is seen when it has the focus");
    await tab.page.keyboard.press("Enter");
    assert.equal(await focused(tab), "main");
    await tab.page.keyboard.press("Tab");
    assert.ok(await tab.page.evaluate(() => document.activeElement.closest("main") !== null));
    await tab.close();
  });

  it("whatever has the focus shows it", async () => {
    const tab = await openTab(browser, `${url}/#/events`);
    await tab.page.locator("tbody tr").first().waitFor();
    for (let stops = 0; stops < 25; ++stops) {
      await tab.page.keyboard.press("Tab");
      const outline = await tab.page.evaluate(() => {
        const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
        return document.activeElement === document.body ? "page" : `${outlineStyle} ${outlineWidth}`;
      });
      assert.match(outline, /page|(solid|auto) [1-9]/, `stop ${stops + 1}: ${await focused(tab)}`);
    }
    await tab.close();
  });

  it("letters go to the views, ? explains, Escape closes", async () => {
    const tab = await openTab(browser, url);
    const { keyboard } = tab.page;
    await tab.page.locator(".gpu-card").first().waitFor();
    for (const [key, heading] of [["w", "Workloads"], ["e", "Events and alerts"], ["a", "Agent"], ["n", /Node/]]) {
      await keyboard.press("g");
      await keyboard.press(key);
      await tab.page.getByRole("heading", { level: 1, name: heading }).waitFor({ state: "attached" });
      assert.equal(await focused(tab), "main");
    }
    const help = tab.page.getByRole("button", { name: "Keyboard help" });
    await help.focus();
    await keyboard.press("?");
    const dialog = tab.page.getByRole("dialog", { name: "Keyboard" });
    await dialog.getByText("Move the cursor and read the values").waitFor();
    await tab.assertAccessible("the help");
    await tab.screenshot("help-light-1440");
    await keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.ok(await help.evaluate((button) => button === document.activeElement), "the focus is back where it was");
    await tab.close();
  });

  it("typing a letter into a field goes nowhere", async () => {
    const tab = await openTab(browser, `${url}/#/events`);
    const field = tab.page.getByPlaceholder("Find text");
    await field.pressSequentially("gw?");
    assert.equal(await field.inputValue(), "gw?");
    assert.match(tab.page.url(), /#\/events/);
    assert.equal(await tab.page.getByRole("dialog").count(), 0);
    await tab.close();
  });

  it("runs no script but its own", async () => {
    const tab = await openTab(browser, url, { allow: ["Content Security Policy"] });
    await tab.page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.intruded = true";
      document.head.append(script);
    });
    assert.equal(await tab.page.evaluate(() => window.intruded), undefined);
    assert.deepEqual(tab.complaints(), []);
    await tab.close();
  });

  it("is light or dark as the system is, or as chosen", async () => {
    for (const theme of ["light", "dark"]) {
      const tab = await openTab(browser, url, { theme });
      assert.equal(await shade(tab), theme);
      await tab.page.emulateMedia({ colorScheme: theme === "dark" ? "light" : "dark" });
      assert.notEqual(await shade(tab), theme, "follows the system");
      await tab.close();
    }
    const tab = await openTab(browser, url, { theme: "light" });
    const button = tab.page.getByRole("button", { name: /^Theme/ });
    await waitFor("the dark theme", async () => {
      await button.click();
      return /^Theme: dark/.test(await button.getAttribute("aria-label"));
    });
    assert.equal(await shade(tab), "dark");
    await tab.page.reload();
    assert.equal(await shade(tab), "dark", "kept over a reload");
    await button.click();
    assert.equal(await shade(tab), "light", "as the system again");
    await tab.close();
  });

  it("charts are drawn anew in the other theme", async () => {
    const { gpus } = await agent.now();
    const tab = await openTab(browser, `${url}/#/gpu/${gpus[0].id}`, { allow: ["willReadFrequently"] });
    const canvas = tab.page.locator("canvas").first();
    await canvas.waitFor();
    // How light the labels of the vertical axis are, 0..255.
    const axis = () => canvas.evaluate((element) => {
      const { data } = element.getContext("2d").getImageData(0, 0, 60, element.height);
      let [sum, count] = [0, 0];
      for (let i = 0; i < data.length; i += 4) {
        if (data[i + 3] <= 200) continue;
        sum += (data[i] + data[i + 1] + data[i + 2]) / 3;
        ++count;
      }
      return count > 0 ? sum / count : null;
    });
    const dark = await waitFor("the axis", axis);
    await tab.page.emulateMedia({ colorScheme: "dark" });
    await waitFor("a lighter axis", async () => (await axis()) > dark + 40);
    await tab.close();
  });
});

async function shade(tab) {
  return tab.page.evaluate(() => {
    const [r, g, b] = getComputedStyle(document.documentElement).backgroundColor.match(/[\d.]+/g).map(Number);
    return r + g + b > 384 ? "light" : "dark";
  });
}
