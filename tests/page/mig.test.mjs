// Ten GPUs with 64 MIG instances on one page.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Agent } from "./agent.mjs";
import { DESK, PHONE, WALL, openBrowser, openTab, skip } from "./browser.mjs";

const seventh = (_, i) => ({
  profile: "1g.10gb",
  gi: 7 + i,
  load: { wave: { min: 0, max: 0.9, period: "30s", phase: i / 7 } },
});

describe("64 MIG instances", { skip }, () => {
  let agent, browser, instances;

  before(async () => {
    agent = new Agent({
      simulate: {
        gpus: [
          { count: 9, model: "h100", mig: Array.from({ length: 7 }, seventh) },
          { model: "h100", mig: [{ profile: "3g.40gb", gi: 1, load: 0.5 }] },
        ],
        processes: [{ gpu: [0, 1, 2, 3], mig: 1, pid: 7001, name: "python3", memory: "4GiB", sm: 1 }],
      },
    });
    browser = await openBrowser();
    const used = (gpu) => gpu.values["gpu.sm.active"] !== undefined;
    const now = await agent.now("the instances", ({ gpus }) => gpus.some((gpu) => gpu.kind === "mig" && used(gpu)));
    instances = now.gpus.filter(({ kind }) => kind === "mig");
    assert.equal(instances.length, 64);
  });

  after(async () => {
    await browser?.close();
    await agent?.close();
  });

  for (const [width, size] of Object.entries({ 1440: DESK, 390: PHONE, 2560: WALL })) {
    it(`${width} px: each is shown and can be reached, nothing beyond the edge`, async () => {
      const tab = await openTab(browser, await agent.url(), { size, theme: width === "390" ? "dark" : "light" });
      await tab.see("64 MIG instances");
      for (const shape of ["Cards", "Rows"]) {
        await tab.page.getByRole("button", { name: shape }).click();
        const links = await tab.page.locator('main a[href*="#/gpu/MIG-"]').evaluateAll((all) =>
          all.filter((link) => link.getClientRects().length > 0).map((link) => decodeURIComponent(link.hash.slice(6))));
        assert.deepEqual(new Set(links), new Set(instances.map(({ id }) => id)));
        await tab.assertNoSidewaysScroll(`${shape} at ${width} px`);
        if (width !== "2560") await tab.assertAccessible(`${shape} at ${width} px`);
        await tab.screenshot(`mig-${shape.toLowerCase()}-${width}`);
      }
      await tab.close();
    });
  }

  it("an instance has a view of its own, and its GPU lists it", async () => {
    const one = instances[10];
    const tab = await openTab(browser, await agent.url());
    await tab.page.locator(".mig").getByRole("link", { name: one.index, exact: true }).click();
    await tab.page.getByRole("heading", { name: `MIG ${one.index}` }).waitFor();
    await tab.see(one.id);
    await tab.page.locator("canvas").first().waitFor();
    await tab.assertAccessible("a MIG instance");
    await tab.assertNoSidewaysScroll("a MIG instance");
    await tab.screenshot("mig-instance-light-1440");
    await tab.page.locator(".device-line").getByRole("link").click();
    const rows = tab.page.getByRole("table", { name: "MIG instances of this GPU" }).locator("tbody tr");
    await rows.first().waitFor();
    assert.equal(await rows.count(), 7);
    await tab.screenshot("mig-gpu-light-1440");
    await tab.close();
  });
});
