// Charts: zoom and pan over all of them, links that keep the range, pictures and numbers to take away.
import assert from "node:assert/strict";
import { after, before, beforeEach, afterEach, describe, it } from "node:test";
import { readFileSync } from "node:fs";
import { Agent, waitFor } from "./agent.mjs";
import { openBrowser, openTab, skip } from "./browser.mjs";
import { boxOf, chart, drag } from "./charts.mjs";

describe("charts", { skip }, () => {
  let agent, browser, gpu, tab;

  before(async () => {
    agent = new Agent();
    browser = await openBrowser();
    gpu = (await agent.now("GPUs", (now) => now.gpus.length === 8)).gpus[0];
    // More than lies to the right of where a drag ends.
    await waitFor("some history", async () => (await power("from=-1m&step=1")).length >= 15);
  });

  after(async () => {
    await browser?.close();
    await agent?.close();
  });

  beforeEach(async () => {
    tab = await openTab(browser, `${await agent.url()}/#/gpu/${gpu.id}?range=15m`);
    await chart(tab, "Utilisation").locator("canvas").waitFor();
  });

  afterEach(async () => tab.close());

  // Times with a value, as the agent has them: [seconds, watts].
  async function power(range) {
    const query = `series?metric=gpu.power.draw&match=gpu.uuid=${gpu.id}&${range}`;
    const { times, series } = await agent.ask(query).catch(() => ({ times: [], series: [] }));
    return times.map((time, i) => [time, series[0]?.values[i] ?? null]).filter(([, value]) => value !== null);
  }

  function fixedRange() {
    const query = new URLSearchParams(tab.page.url().split("?")[1]);
    return query.has("from") ? { from: Number(query.get("from")), to: Number(query.get("to")) } : null;
  }

  async function download(name) {
    const [file] = await Promise.all([
      tab.page.waitForEvent("download"),
      tab.page.getByRole("button", { name, exact: true }).click(),
    ]);
    return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
  }

  async function csv(title) {
    const { name, bytes } = await download(`CSV of ${title}`);
    const [head, ...rows] = bytes.toString().trim().split("\r\n").map((line) => line.split(","));
    return { name, head, rows: rows.map(([time, ...values]) => [Date.parse(time) / 1000, ...values]) };
  }

  async function zoomed() {
    await drag(tab, chart(tab, "Utilisation"), 0.8, 0.995);
    return waitFor("the range in the address", fixedRange);
  }

  it("a drag zooms all charts, the link keeps the range, a double click goes back to live", async () => {
    const range = await zoomed();
    const width = range.to - range.from;
    assert.ok(Math.abs(width - 0.195 * 900) < 15, `a fifth of 15 minutes was marked, not ${width} s`);
    for (const title of ["Power", "Temperature"]) {
      await waitFor(`${title} to follow`, async () => within(await csv(title), range));
    }
    const label = await tab.page.locator(".range-fixed").innerText();
    assert.match(label, /\d\d:\d\d:\d\d – .*\d\d:\d\d:\d\d/);

    await tab.page.reload();
    await chart(tab, "Power").locator("canvas").waitFor();
    assert.deepEqual(fixedRange(), range);
    assert.ok(within(await csv("Power"), range), "the range of the link is shown");
    assert.equal(await tab.page.locator(".range-fixed").innerText(), label);

    await tab.page.getByRole("link", { name: "GPU 1", exact: true }).click();
    await tab.page.getByRole("heading", { name: "GPU 1", exact: true }).waitFor();
    assert.deepEqual(fixedRange(), range, "the range goes along to another GPU");

    const { x, y, width: across, height } = await boxOf(chart(tab, "Power"));
    await tab.page.mouse.dblclick(x + across / 2, y + height / 2);
    await waitFor("the live range", () => fixedRange() === null);
    assert.equal(await tab.page.locator('.range [aria-pressed="true"]').count(), 1);
  });

  it("the steps of a zoom can be gone back", async () => {
    await zoomed();
    await tab.page.goBack();
    await waitFor("the range before", () => fixedRange() === null && tab.page.url().includes("range=15m"));
  });

  it("a drag with shift pans by as much as the hand moved", async () => {
    const range = await zoomed();
    await chart(tab, "Power").locator("canvas").waitFor();
    await tab.page.keyboard.down("Shift");
    await drag(tab, chart(tab, "Power"), 0.4, 0.6);
    await tab.page.keyboard.up("Shift");
    const panned = await waitFor("another range", () => {
      const now = fixedRange();
      return now && now.from !== range.from && now;
    });
    assert.ok(Math.abs(panned.to - panned.from - (range.to - range.from)) <= 1, "as wide as before");
    assert.ok(panned.from < range.from, "to the right is to the past");
  });

  it("a pan beyond now stays live", async () => {
    const plot = chart(tab, "Power").getByRole("img");
    await plot.focus();
    await tab.page.keyboard.press("Shift+ArrowRight");
    for (const which of ["the next", "another"]) {
      const before = await plot.getAttribute("aria-label");
      await waitFor(`${which} picture`, async () => (await plot.getAttribute("aria-label")) !== before);
    }
    assert.equal(fixedRange(), null);
  });

  it("goes by keyboard", async () => {
    const plot = chart(tab, "Power").getByRole("img");
    await plot.focus();
    await tab.page.keyboard.press("End");
    const spoken = chart(tab, "Power").locator("[aria-live]");
    await waitFor("the reading", async () => /draw \d+ W/.test(await spoken.textContent()));
    await tab.page.keyboard.press("+");
    const range = await waitFor("the range in the address", fixedRange);
    assert.ok(Math.abs(range.to - range.from - 450) < 10, "half of 15 minutes");
    await tab.page.keyboard.press("Escape");
    await waitFor("the live range", () => fixedRange() === null);
  });

  it("the range can be chosen and typed", async () => {
    await tab.page.getByRole("button", { name: "6h" }).click();
    await waitFor("the range in the address", () => tab.page.url().includes("range=6h"));
    await tab.page.getByRole("button", { name: "From – to" }).click();
    await tab.page.getByLabel("From").fill("2026-01-02T03:00:01");
    await tab.page.getByLabel("To", { exact: true }).fill("2026-01-02T04:00:01");
    await tab.page.getByRole("button", { name: "Show" }).click();
    const range = await waitFor("the range in the address", fixedRange);
    assert.equal(range.to - range.from, 3600);
    await tab.see("Nothing was published in this range.");
  });

  it("a legend's entry hides its line", async () => {
    const entry = chart(tab, "Power").getByRole("button", { name: /^draw/ });
    await entry.click();
    assert.equal(await entry.getAttribute("aria-pressed"), "false");
    assert.deepEqual((await csv("Power")).head.filter((name) => name.startsWith("draw")), []);
  });

  it("the CSV has what the agent has", async () => {
    const range = await zoomed();
    const { head, rows, name } = await waitFor("the zoomed chart", async () => {
      const file = await csv("Power");
      return within(file, range) && file;
    });
    assert.match(name, /gpu-0-power.*\.csv$/);
    assert.equal(head[0], "time");
    const column = head.indexOf("draw [W]");
    assert.ok(column > 0, `no column draw [W] among ${head}`);
    const step = rows[1][0] - rows[0][0];
    const told = await power(`from=${range.from}&to=${range.to}&step=${step}`);
    const saved = new Map(rows.map((row) => [row[0], row[column]]));
    const whole = told.slice(0, -1); // the last step was still filling
    assert.ok(whole.length > 2);
    for (const [time, watts] of whole) assert.equal(Number(saved.get(time)), watts);
  });

  it("the PNG is a picture of the chart", async () => {
    const { name, bytes } = await download("PNG of Power");
    assert.match(name, /gpu-0-power.*\.png$/);
    assert.equal(bytes.subarray(0, 8).toString("hex"), "89504e470d0a1a0a");
    const { width } = await chart(tab, "Power").locator("canvas").boundingBox();
    assert.ok(bytes.readUInt32BE(16) >= width, "as wide as the chart");
    const colours = await coloursIn(browser, bytes);
    assert.ok(colours > 20, `a blank picture: ${colours} colours`);
  });

  it("the numbers are shown as a table", async () => {
    await tab.page.getByRole("button", { name: "Table of Power" }).click();
    const table = tab.page.getByRole("region", { name: "Power: data" });
    assert.match(await table.innerText(), /\d\d:\d\d:\d\d [+-]\d\d:\d\d\s+\d+ W/);
    await tab.assertAccessible("a chart's table");
  });
});

function within({ rows }, { from, to }) {
  const step = rows[1][0] - rows[0][0];
  return rows[0][0] >= from - step && rows[rows.length - 1][0] <= to + step;
}

async function coloursIn(browser, bytes) {
  const page = await browser.newPage();
  await page.setContent(`<img src="data:image/png;base64,${bytes.toString("base64")}">`);
  const colours = await page.locator("img").evaluate(async (image) => {
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.naturalWidth;
    canvas.height = image.naturalHeight;
    const drawing = canvas.getContext("2d");
    drawing.drawImage(image, 0, 0);
    const pixels = new Uint32Array(drawing.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    return new Set(pixels).size;
  });
  await page.close();
  return colours;
}
