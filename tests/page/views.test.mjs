// Every view tells what the agent tells, in both themes and on every size of screen.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { waitFor } from "./agent.mjs";
import { DESK, PHONE, WALL, openBrowser, openTab, skip } from "./browser.mjs";
import { BusyNode } from "./busy_node.mjs";
import { chart, seeLines } from "./charts.mjs";

const percent = (share) => `${(share * 100).toFixed(0)} %`;
const watts = (value) => (value === undefined ? "–" : `${value.toFixed(0)} / 700 W`);
const gibibytes = (bytes) => String(Number((bytes / 2 ** 30).toFixed(1)));

describe("views", { skip }, () => {
  let node, browser, now, views;

  before(async () => {
    node = await BusyNode.start();
    browser = await openBrowser();
    now = await node.settled();
    views = {
      node: "#/",
      gpu: `#/gpu/${now.gpus[2].id}?range=15m`,
      engine: `#/engine/${encodeURIComponent(node.engineAddress)}?range=15m`,
      workloads: "#/workloads",
      events: "#/events",
      agent: "#/agent",
    };
  });

  after(async () => {
    await browser?.close();
    await node?.close();
  });

  const open = (view, options) => openTab(browser, `${node.url}/${views[view]}`, options);

  // Waits until the view has every text that `expected` makes of what the agent tells just now.
  async function assertShows(tab, expected) {
    let missing = [];
    await waitFor("the page to tell what the agent tells", async () => {
      const wanted = expected(await node.agent.ask("now"));
      const text = await tab.text();
      missing = wanted.filter((part) => !text.includes(part));
      return missing.length === 0;
    }).catch((error) => assert.fail(`${error}; the page does not say ${missing.join(", ")}`));
  }

  it("node: GPUs, who owns them, the engine, events and a verdict", async () => {
    const tab = await open("node");
    await assertShows(tab, ({ gpus, engines, events }) => [
      ...gpus.filter(({ index }) => index !== "3").flatMap(({ index, values }) => [
        `GPU ${index}`,
        percent(values["gpu.utilization"]),
        watts(values["gpu.power.draw"]),
        `${gibibytes(values["gpu.memory.used"])} / ${gibibytes(values["gpu.memory.total"])} GiB`,
      ]),
      "Broken: ",
      "GPU 3 is lost",
      gpus[0].owners[0].name,
      engines[0].models[0].name,
      `${Number((engines[0].models[0].latency.ttft["0.95"] * 1000).toFixed(0))} ms`,
      ...events.slice(0, 3).map(({ message }) => message),
    ]);
    assert.equal(await tab.page.locator(".gpu-card").count(), 8);
    assert.match(await tab.page.title(), /gpu-node-07/);
    await tab.see("Simulated data");
    await tab.close();
  });

  it("node: the same as rows", async () => {
    const tab = await open("node");
    await tab.page.getByRole("button", { name: "Rows" }).click();
    const rows = tab.page.getByRole("table", { name: "Every GPU and MIG instance" }).locator("tbody tr");
    assert.equal(await rows.count(), 8);
    assert.match(await rows.nth(3).innerText(), /GPU 3[^]*Lost/);
    await tab.page.reload();
    await rows.first().waitFor();
    await tab.close();
  });

  it("gpu: readings, charts, events and every value", async () => {
    const tab = await open("gpu");
    const device = (gpus) => gpus[2];
    await assertShows(tab, ({ gpus }) => [
      device(gpus).id,
      percent(device(gpus).values["gpu.utilization"]),
      `${device(gpus).values["gpu.temperature"]} °C`,
      "XID 94",
    ]);
    for (const title of ["Utilisation", "Memory", "Power", "Temperature", "Clocks", "PCIe", "Errors counted"]) {
      await seeLines(tab, title);
    }
    const values = tab.page.getByRole("table", { name: "Every value of this device" });
    const series = await waitFor("every value", async () => {
      const told = await node.agent.ask(`latest?match=gpu.uuid=${now.gpus[2].id}&match=gpu.mig.uuid=`);
      return told.series.length === (await values.locator("tbody tr").count()) && told.series;
    });
    await tab.page.getByPlaceholder("Filter").fill("clock memory");
    const filtered = series.filter(({ metric, attributes }) =>
      `${metric} ${JSON.stringify(attributes)}`.match(/clock/) && JSON.stringify(attributes).includes("memory"));
    await waitFor("the filter", async () => (await values.locator("tbody tr").count()) === filtered.length);
    await tab.close();
  });

  it("gpu: processes and their owner", async () => {
    const tab = await open("node");
    await tab.page.getByRole("link", { name: "GPU 0" }).first().click();
    const row = tab.page.getByRole("table", { name: "Processes on this GPU" }).locator("tbody tr");
    const text = await row.innerText();
    for (const part of [String(process.pid), now.gpus[0].owners[0].name, "29.3 GiB"]) assert.ok(text.includes(part), text);
    await tab.close();
  });

  it("engine: latencies, queue, cache, throughput beside the GPUs", async () => {
    const tab = await open("engine");
    await assertShows(tab, ({ engines }) => {
      const [{ latency, values }] = engines[0].models;
      return [
        engines[0].models[0].name,
        `${(latency.ttft["0.95"] * 1000).toFixed(0)} ms`,
        `${Number(latency.request["0.95"].toFixed(2))} s`,
        `${values["llm.requests.waiting"]} waiting`,
        percent(values["llm.kv_cache.usage"]),
        "GPUs of this node",
      ];
    });
    for (const title of ["Time to first token", "Requests", "Cache", "Throughput", "GPU utilisation"]) {
      await seeLines(tab, title);
    }
    const words = await chart(tab, "Time to first token").getByRole("img").getAttribute("aria-label");
    assert.match(words, /p95: last 438 ms/);
    await tab.close();
  });

  it("workloads: who holds and uses, grouped as asked", async () => {
    const tab = await open("workloads");
    await assertShows(tab, ({ gpus }) => [gpus[0].owners[0].name, "48.8 GiB"]);
    const row = tab.page.getByRole("table", { name: /Workloads/ }).locator("tbody tr");
    assert.equal(await row.count(), 1);
    assert.equal(await row.getByRole("link").count(), 2, "one link a device");
    await tab.page.getByRole("button", { name: "Kind" }).click();
    await row.getByRole("rowheader", { name: "process" }).waitFor();
    assert.match(tab.page.url(), /by=kind/);
    await tab.close();
  });

  it("events: what happened, what fires, every rule; filters are kept in the link", async () => {
    const tab = await open("events");
    const { rules, alerts } = await node.agent.ask("alerts");
    const { events } = await node.agent.ask("events?from=-1h");
    await assertShows(tab, () => [
      ...rules.map(({ name }) => name),
      ...alerts.map(({ summary }) => summary),
      ...events.map(({ message }) => message),
    ]);
    const shown = tab.page.locator(".events .event");
    await tab.page.getByLabel("Kind of event").selectOption("gpu.xid");
    await waitFor("the filter", async () => (await shown.count()) === 1);
    await tab.page.reload();
    await waitFor("the filter after a reload", async () => (await shown.count()) === 1);
    assert.match(await shown.innerText(), /XID 94/);
    await tab.page.getByPlaceholder("Find text").fill("nothing has this");
    await tab.see("Nothing happened");
    await tab.close();
  });

  it("agent: sources, history, what cannot be read", async () => {
    const tab = await open("agent");
    const status = await node.agent.ask("status");
    await assertShows(tab, () => [
      status.version,
      ...status.sources.map(({ name }) => name),
      ...status.found,
      ...status.absences.map(({ metric }) => metric),
      "Nothing is sent anywhere",
      "of 200 MiB",
    ]);
    await tab.close();
  });

  it("says what is not there", async () => {
    const tab = await openTab(browser, `${node.url}/#/gpu/GPU-none`);
    await tab.see("No GPU GPU-none was seen");
    await tab.assertAccessible("no such GPU");
    await tab.go("#/engine/10.0.0.1:1");
    await tab.see("No engine 10.0.0.1:1 is known");
    await tab.assertAccessible("no such engine");
    await tab.go("#/nowhere");
    await tab.see("There is no such view");
    await tab.assertAccessible("no such view");
    await tab.close();
  });

  for (const [theme, sizes] of [["light", [DESK, PHONE, WALL]], ["dark", [DESK, PHONE]]]) {
    for (const size of sizes) {
      const { width } = size;
      it(`${theme}, ${width} px: accessible, and nothing beyond the edge`, async () => {
        const tab = await openTab(browser, node.url, { theme, size });
        for (const [view, hash] of Object.entries(views)) {
          await tab.go(hash);
          await ready(tab, view);
          const what = `${view} ${theme} ${width} px`;
          await tab.assertNoSidewaysScroll(what);
          if (size === DESK || (size === PHONE && theme === "light")) await tab.assertAccessible(what);
          await tab.screenshot(`${view}-${theme}-${width}`);
        }
        await tab.close();
      });
    }
  }
});

// What a view asks for has come.
async function ready(tab, view) {
  const last = {
    node: ".gpu-card .sparkline",
    gpu: ".raw tbody tr",
    engine: ".engine-columns > .chart-group canvas",
    workloads: "tbody tr",
    events: "tbody tr",
    agent: "tbody tr",
  };
  await tab.page.locator(last[view]).first().waitFor();
  if (view === "gpu") await tab.page.locator("canvas").first().waitFor();
}
