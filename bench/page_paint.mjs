// How soon the page is there: WARPSIGHT=build/warpsight node bench/page_paint.mjs
// Loads it ten times over loopback, each time with an empty cache, from an agent with eight GPUs.
import { Agent } from "../tests/page/agent.mjs";
import { openBrowser } from "../tests/page/browser.mjs";

const LOADS = 10;

const agent = new Agent({ config: { publish_interval: "10s" } });
const browser = await openBrowser();
try {
  await agent.now("GPUs", (now) => now.gpus.length === 8);
  const url = await agent.url();
  await load(url); // the browser's own start is not the page's
  const loads = [];
  for (let i = 0; i < LOADS; ++i) loads.push(await load(url));
  console.log(`| ${LOADS} loads, ms | median | least | most |`);
  console.log("|---|---:|---:|---:|");
  console.log(row("first contentful paint", loads.map(({ paint }) => paint)));
  console.log(row("every GPU shown", loads.map(({ shown }) => shown)));
} finally {
  await browser.close();
  await agent.close();
}

async function load(url) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(() => {
    window.shown = new Promise((resolve) => {
      new MutationObserver(() => {
        const all = document.querySelectorAll(".gpu-card").length === 8;
        if (all) requestAnimationFrame(() => resolve(performance.now()));
      }).observe(document, { childList: true, subtree: true });
    });
  });
  await page.goto(url);
  const times = await page.evaluate(async () => {
    const paint = new Promise((resolve) => {
      new PerformanceObserver((list) => {
        const entry = list.getEntriesByName("first-contentful-paint")[0];
        if (entry) resolve(entry.startTime);
      }).observe({ type: "paint", buffered: true });
    });
    return { paint: await paint, shown: await window.shown };
  });
  await context.close();
  return times;
}

function row(name, times) {
  const sorted = [...times].sort((a, b) => a - b);
  const median = (sorted[(LOADS - 1) >> 1] + sorted[LOADS >> 1]) / 2;
  return `| ${name} | ${[median, sorted[0], sorted[LOADS - 1]].map((time) => time.toFixed(0)).join(" | ")} |`;
}
