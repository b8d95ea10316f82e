// Debian's Chromium, and what every view must hold in it.
import { chromium } from "playwright-core";
import { createRequire } from "node:module";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";

const EXECUTABLE = ["/usr/bin/chromium", "/usr/bin/chromium-headless-shell"].find(existsSync);
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SCREENSHOTS = process.env.SCREENSHOTS ?? "build/screenshots";

export const skip = EXECUTABLE ? false : "chromium is not installed";

export async function openBrowser() {
  return chromium.launch({ executablePath: EXECUTABLE, args: ["--no-sandbox"] });
}

// A tab that fails the test for anything the browser complains of. `allow` are parts of complaints
// that a test brings about itself.
export async function openTab(browser, url, { theme = "light", size = { width: 1440, height: 900 }, allow = [] } = {}) {
  const context = await browser.newContext({ viewport: size, colorScheme: theme, acceptDownloads: true });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  if (url) await page.goto(url);
  return {
    page,
    complaints: () => complaints.filter((text) => !allow.some((part) => text.includes(part))),
    async screenshot(name) {
      mkdirSync(SCREENSHOTS, { recursive: true });
      await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
    },
    // Runs axe over the page as it is; the debugger's way in, since the page's policy forbids others.
    async accessible(what) {
      const session = await context.newCDPSession(page);
      await session.send("Runtime.evaluate", { expression: AXE });
      const { result } = await session.send("Runtime.evaluate", {
        expression: "axe.run(document).then((r) => JSON.stringify(r.violations.map((v) => [v.id, v.nodes.map((n) => n.html).slice(0, 3)])))",
        awaitPromise: true,
        returnByValue: true,
      });
      assert.equal(result.value, "[]", `${what}: axe found faults`);
    },
    async close() {
      assert.deepEqual(this.complaints(), [], "the browser complained");
      await context.close();
    },
  };
}
