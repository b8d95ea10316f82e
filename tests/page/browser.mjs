// Debian's Chromium, and what every view must hold in it.
import { chromium } from "playwright-core";
import { createRequire } from "node:module";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";

const EXECUTABLE = ["/usr/bin/chromium", "/usr/bin/chromium-headless-shell"].find(existsSync);
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SCREENSHOTS = process.env.SCREENSHOTS ?? "build/screenshots";

export const DESK = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };
export const WALL = { width: 2560, height: 1440 };

// For a suite: false, or why it cannot run here.
export const skip = EXECUTABLE ? false : "chromium is not installed";

export async function openBrowser() {
  return chromium.launch({ executablePath: EXECUTABLE, args: ["--no-sandbox"] });
}

// A tab that fails its test when it is closed, for anything the browser complained of: errors and
// warnings of the console, the content policy's among them. `allow` are parts of complaints that the
// test brings about itself.
export async function openTab(browser, url, { theme = "light", size = DESK, allow = [] } = {}) {
  const context = await browser.newContext({ viewport: size, colorScheme: theme, reducedMotion: "reduce" });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => {
    if (message.type() !== "error" && message.type() !== "warning") return;
    complaints.push(`${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(url);
  return new Tab(context, page, () => complaints.filter((text) => !allow.some((part) => text.includes(part))));
}

class Tab {
  constructor(context, page, complaints) {
    this.context = context;
    this.page = page;
    this.complaints = complaints;
  }

  // Opens a view of the same page, as a link would.
  async go(hash) {
    await this.page.evaluate((to) => (location.hash = to), hash);
  }

  // The first element with this text, once it is seen.
  async see(text) {
    await this.page.getByText(text).first().waitFor();
  }

  async text(selector = "main") {
    return this.page.locator(selector).first().innerText();
  }

  async screenshot(name) {
    mkdirSync(SCREENSHOTS, { recursive: true });
    await this.page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
  }

  // Runs axe over the page as it is; the debugger's way in, since the page's policy forbids others.
  async assertAccessible(what) {
    const session = await this.context.newCDPSession(this.page);
    await session.send("Runtime.evaluate", { expression: AXE });
    const { result } = await session.send("Runtime.evaluate", {
      expression: `axe.run(document, {rules: {"label-content-name-mismatch": {enabled: true}}}).then(({violations}) =>
        violations.flatMap(({id, nodes}) => nodes.slice(0, 3).map(({html}) => id + ": " + html)))`,
      awaitPromise: true,
      returnByValue: true,
    });
    await session.detach();
    assert.deepEqual(result.value, [], `${what}: axe found faults`);
  }

  async assertNoSidewaysScroll(what) {
    const [content, window] = await this.page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return [scrollWidth, clientWidth];
    });
    assert.ok(content <= window, `${what}: ${content} px wide in a window of ${window}`);
  }

  async close() {
    await this.context.close();
    assert.deepEqual(this.complaints(), [], "the browser complained");
  }
}
