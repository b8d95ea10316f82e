// The page follows the agent by itself: values, events, and an agent that goes away and comes back.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Agent, waitFor } from "./agent.mjs";
import { openBrowser, openTab, skip } from "./browser.mjs";
import { BusyNode } from "./busy_node.mjs";
import { boxOf, chart } from "./charts.mjs";

const ALERT = "MemoryInUse"; // of GPU 1, as soon as a process is listed there
const LOST = ["REFUSED", "RESET", "INCOMPLETE_CHUNKED_ENCODING", "EMPTY_RESPONSE"];
const AN_AGE_CHANGES_MS = 130_000; // it is told in minutes after the first

describe("live", { skip }, () => {
  let agent, browser, node, url;

  before(async () => {
    node = await BusyNode.start({ listed: [] });
    ({ agent, url } = node);
    browser = await openBrowser();
  });

  after(async () => {
    await browser?.close();
    await node?.close();
  });

  it("shows an event as it arrives, on the node, among the events and on the GPU's charts", async () => {
    const { gpus } = await agent.now("the GPUs", (now) => now.gpus.length === 8);
    const all = await openTab(browser, url);
    const events = await openTab(browser, `${url}/#/events?name=alert.firing`);
    const gpu = await openTab(browser, `${url}/#/gpu/${gpus[1].id}?range=15m`);
    for (const tab of [all, events, gpu]) await keepsLoaded(tab);
    const summary = () => chart(gpu, "Power").getByRole("img").getAttribute("aria-label");
    assert.doesNotMatch(await summary(), /events? (is|are) marked/);

    const fired = async () => (await agent.ask(`events?name=alert.firing&match=alert.name=${ALERT}`)).events;
    assert.deepEqual(await fired(), []);
    node.write("processes", `1 ${process.pid} 20000 5\n`);
    const { message } = await waitFor("the alert", async () => (await fired())[0]);
    await all.page.locator(".events").getByText(message).first().waitFor();
    await all.page.locator(".gpu-card").nth(1).getByText(ALERT).first().waitFor();
    await events.page.locator(".events").getByText(message).first().waitFor();
    await waitFor("the mark on the chart", async () => /events? (is|are) marked/.test(await summary()));
    assert.ok((await tipOf(gpu, chart(gpu, "Power"))).includes(ALERT));
    assert.ok((await tipOf(gpu, chart(gpu, "Temperature"))).includes(ALERT));
    for (const tab of [all, events, gpu]) {
      assert.ok(await stillLoaded(tab), "the page was loaded anew");
      await tab.close();
    }
  });

  it("shows the next value without a reload", async () => {
    const tab = await openTab(browser, url);
    await keepsLoaded(tab);
    const use = tab.page.locator(".gpu-card .big").first();
    const first = await use.innerText();
    await waitFor("another value", async () => (await use.innerText()) !== first);
    await waitFor("the agent's value", async () => {
      const { gpus } = await agent.ask("now");
      return (await use.innerText()) === `${(gpus[0].values["gpu.utilization"] * 100).toFixed(0)} %`;
    });
    const age = tab.page.locator(".events time").first();
    const before = await age.innerText();
    await waitFor("an older event", async () => (await age.innerText()) !== before, AN_AGE_CHANGES_MS);
    assert.ok(await stillLoaded(tab));
    await tab.close();
  });

  it("moves a live chart on without a reload", async () => {
    const { gpus } = await agent.now();
    const tab = await openTab(browser, `${url}/#/gpu/${gpus[0].id}`);
    const plot = chart(tab, "Utilisation").getByRole("img");
    const first = await plot.getAttribute("aria-label");
    await waitFor("another picture", async () => (await plot.getAttribute("aria-label")) !== first);
    await tab.close();
  });

  it("says that the agent is gone, and goes on by itself when it is back", async () => {
    const own = new Agent();
    const port = await own.port();
    const tab = await openTab(browser, await own.url(), { allow: LOST });
    await keepsLoaded(tab);
    await tab.page.getByText("Live", { exact: true }).waitFor();
    await own.stop("SIGKILL");
    await tab.see("Connection lost");
    await tab.see(/What you see is \d+ s old/);
    await tab.assertAccessible("without the agent");
    await tab.screenshot("lost-light-1440");

    const next = new Agent({ simulate: "h200", directory: own.directory, port });
    await next.url();
    await tab.page.getByText("Live", { exact: true }).waitFor();
    await tab.page.getByText("Connection lost").waitFor({ state: "detached" });
    await tab.see("H200");
    assert.ok(await stillLoaded(tab));
    const { uptime } = await next.now();
    await tab.go("#/agent");
    const shown = tab.page.locator(".tile", { hasText: "Up for" });
    assert.ok(parseInt((await shown.innerText()).match(/(\d+) s/)[1], 10) <= uptime + 5);
    await tab.close();
    await next.close();
    await own.close();
  });
});

async function keepsLoaded(tab) {
  await tab.page.locator("h1").first().waitFor({ state: "attached" });
  await tab.page.evaluate(() => (window.loadedOnce = true));
}

async function stillLoaded(tab) {
  return tab.page.evaluate(() => window.loadedOnce === true);
}

// What is told at the event's mark: the pointer goes back from the chart's right edge until it finds one.
async function tipOf(tab, group) {
  const { x, y, width, height } = await boxOf(group);
  const tip = group.locator(".chart-tip");
  for (let back = 0; back < 60; back += 3) {
    await tab.page.mouse.move(x + width - 1 - back, y + height / 2);
    if (await tip.isVisible()) return tip.innerText();
  }
  assert.fail("no mark was found on the chart");
}
