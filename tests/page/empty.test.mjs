// What is not there is said, with what to do; nothing is shown as zero.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Agent, waitFor } from "./agent.mjs";
import { openBrowser, openTab, PHONE, skip } from "./browser.mjs";

describe("empty", { skip }, () => {
  let browser;

  before(async () => {
    browser = await openBrowser();
  });

  after(async () => browser?.close());

  it("a node without a GPU", async () => {
    const off = { enabled: false };
    const agent = new Agent({ simulate: null, config: { sources: { nvml: off, pci: off } } });
    await agent.now();
    const tab = await openTab(browser, await agent.url());
    await tab.see("No GPU is seen here");
    await tab.see("warpsight doctor");
    await tab.see("Nobody holds a GPU");
    await tab.see("No serving engine is known");
    assert.equal(await tab.page.getByText("Simulated").count(), 0);
    await tab.assertAccessible("no GPU");
    await tab.screenshot("empty-node-light-1440");
    const views = {
      workloads: "Nobody holds a GPU",
      events: "No alert is firing",
      agent: "Nothing is sent anywhere",
    };
    for (const [view, text] of Object.entries(views)) {
      await tab.go(`#/${view}`);
      await tab.see(text);
      await tab.assertAccessible(`no GPU: ${view}`);
      await tab.screenshot(`empty-${view}-light-1440`);
    }
    await tab.close();
    const phone = await openTab(browser, await agent.url(), { size: PHONE, theme: "dark" });
    await phone.see("No GPU is seen here");
    await phone.assertNoSidewaysScroll("no GPU");
    await phone.screenshot("empty-node-dark-390");
    await phone.close();
    await agent.close();
  });

  it("no history, no engine, no owner", async () => {
    const agent = new Agent({ simulate: "h200", config: { history: { enabled: false } } });
    const { gpus } = await agent.now("a GPU", (now) => now.gpus.length === 1);
    const tab = await openTab(browser, await agent.url(), { allow: ["status of 404"] });
    await tab.see("no history, so no lines");
    await tab.see("Nobody holds a GPU");
    await tab.see("No serving engine is known");
    await tab.page.getByRole("link", { name: "GPU 0" }).click();
    const note = tab.page.locator(".error-note");
    await note.waitFor();
    assert.match(await note.innerText(), /No history is kept\. Set history\.enabled/);
    await waitFor("the readings", async () => (await tab.text()).includes(gpus[0].id));
    await tab.page.locator(".raw tbody tr").first().waitFor();
    await tab.assertAccessible("history off: GPU");
    await tab.screenshot("history-off-gpu-light-1440");
    await tab.go("#/agent");
    await tab.see("History is off");
    await tab.go("#/events");
    await tab.page.locator("tbody tr").first().waitFor();
    assert.equal(await tab.page.locator(".error-note").count(), 0, "events of the agent's memory need no history");
    await tab.assertAccessible("history off: events");
    await tab.close();
    await agent.close();
  });

  it("an agent that has just begun", async () => {
    const agent = new Agent();
    const now = await agent.now("GPUs", ({ gpus }) => gpus.length === 8);
    const nothing = { gpus: [], engines: [], node: {}, devices: {}, alerts: [], events: [] };
    const first = JSON.stringify({ ...now, ...nothing, time: null });
    const tab = await openTab(browser, "about:blank");
    await tab.page.route("**/api/v1/live", (route) =>
      route.fulfill({ contentType: "text/event-stream", body: `event: now\ndata: ${first}\n\n` }));
    await tab.page.goto(await agent.url());
    await tab.see("The agent is starting");
    await tab.see("No reading yet");
    await tab.page.unroute("**/api/v1/live");
    await tab.page.locator(".gpu-card").nth(7).waitFor();
    assert.equal(await tab.page.getByText("The agent is starting").count(), 0);
    await tab.close();
    await agent.close();
  });
});
