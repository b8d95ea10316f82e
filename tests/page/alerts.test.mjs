// An alert from firing to silenced and back, on the page alone.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { waitFor } from "./agent.mjs";
import { openBrowser, openTab, skip } from "./browser.mjs";
import { BusyNode } from "./busy_node.mjs";

describe("alerts", { skip }, () => {
  let node, browser;

  before(async () => {
    node = await BusyNode.start();
    browser = await openBrowser();
    await node.settled();
  });

  after(async () => {
    await browser?.close();
    await node?.close();
  });

  it("fires, is silenced with a comment, and fires again when the silence is removed", async () => {
    const tab = await openTab(browser, `${node.url}/#/events`);
    const alert = tab.page.locator(".alert", { hasText: "MemoryInUse" });
    await alert.getByText("GPU 1 has memory in use").waitFor();
    const loud = async () => parseInt(await tab.text(".alert-count"), 10);
    const before = await loud();

    await alert.getByRole("button", { name: /^Silence/ }).click();
    const dialog = tab.page.getByRole("dialog", { name: "Silence MemoryInUse" });
    await dialog.getByRole("button", { name: "4 hours" }).click();
    await dialog.getByLabel("Comment").fill("known, until the next reboot");
    await tab.assertAccessible("the silence dialog");
    await tab.screenshot("silence-dialog-light-1440");
    await dialog.getByRole("button", { name: "Silence", exact: true }).click();
    await dialog.waitFor({ state: "detached" });

    await alert.getByText("silenced").waitFor();
    assert.equal(await alert.getByRole("button").count(), 0);
    const [silence] = (await node.agent.ask("alerts")).silences;
    assert.equal(silence.comment, "known, until the next reboot");
    assert.ok(Math.abs(silence.until - silence.created - 4 * 3600) < 2);
    assert.ok(silence.match.includes("alert.name=MemoryInUse"));
    const list = tab.page.getByRole("table", { name: "Silences in force" });
    assert.match(await list.innerText(), /known, until the next reboot/);
    await waitFor("the count", async () => (await loud()) === before - 1);
    await tab.assertAccessible("a silence");
    await tab.screenshot("silenced-light-1440");

    await list.getByRole("button", { name: /^Remove/ }).click();
    await list.waitFor({ state: "detached" });
    await alert.getByText("silenced").waitFor({ state: "detached" });
    assert.deepEqual((await node.agent.ask("alerts")).silences, []);
    await waitFor("the count", async () => (await loud()) === before);
    await tab.close();
  });

  it("stands in the verdict, on the GPU's card and in the title", async () => {
    const tab = await openTab(browser, node.url);
    await tab.page.locator(".verdict").getByText("GPU 1 has memory in use").waitFor();
    await tab.page.locator(".gpu-card", { hasText: "GPU 1" }).getByText("MemoryInUse").waitFor();
    assert.match(await tab.page.title(), /^\(\d+\) /);
    await tab.close();
  });
});
