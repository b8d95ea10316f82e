// The page follows the agent by itself: values, events, and an agent that goes away and comes back.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Agent, waitFor } from "./agent.mjs";
import { openBrowser, openTab, skip } from "./browser.mjs";
import { boxOf, chart } from "./charts.mjs";

const XID_AT = 12; // seconds after the start; the tabs are open by then
const LOST = ["REFUSED", "RESET", "INCOMPLETE_CHUNKED_ENCODING", "EMPTY_RESPONSE"];

describe("live", { skip }, () => {
  let agent, browser, url;

  before(async () => {
    agent = new Agent({
      simulate: {
        gpus: [{ count: 2, model: "h100", load: { wave: { min: 0.1, max: 0.9, period: "10s" } } }],
        faults: [{ fault: "xid", at: `${XID_AT}s`, gpu: 1, xid: 48 }],
      },
    });
    browser = await openBrowser();
    url = await agent.url();
  });

  after(async () => {
    await browser?.close();
    await agent?.close();
  });

  it("shows an event as it arrives, on the node, among the events and on the GPU's charts", async () => {
    const { gpus } = await agent.now("two GPUs", (now) => now.gpus.length === 2);
    const node = await openTab(browser, url);
    const events = await openTab(browser, `${url}/#/events?name=gpu.xid`);
    const gpu = await openTab(browser, `${url}/#/gpu/${gpus[1].id}?range=15m`);
    for (const tab of [node, events, gpu]) await keepsLoaded(tab);
    assert.equal((await agent.ask("events?name=gpu.xid")).events.length, 0, "the XID came before the page was there");
    const summary = () => chart(gpu, "Power").getByRole("img").getAttribute("aria-label");
    assert.doesNotMatch(await summary(), /events? (is|are) marked/);

    const message = await waitFor("the XID", async () => (await agent.ask("events?name=gpu.xid")).events[0]?.message);
    await node.page.locator(".events").getByText(message).waitFor();
    await node.page.locator(".gpu-card").nth(1).getByText(/XID/i).waitFor();
    await events.page.locator(".events").getByText(message).waitFor();
    await waitFor("the mark on the chart", async () => /events? (is|are) marked/.test(await summary()));
    assert.match(await tipOf(gpu, chart(gpu, "Power")), /XID 48/);
    assert.match(await tipOf(gpu, chart(gpu, "Temperature")), /XID 48/);
    for (const tab of [node, events, gpu]) {
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
    await waitFor("an older event", async () => (await age.innerText()) !== before);
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
    await tab.page.getByText("Live").waitFor();
    await own.stop("SIGKILL");
    await tab.see("Connection lost");
    await tab.see(/What you see is \d+ s old/);
    await tab.assertAccessible("without the agent");
    await tab.screenshot("lost-light-1440");

    const next = new Agent({ simulate: "h200", directory: own.directory, port });
    await next.url();
    await tab.page.getByText("Live").waitFor();
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
