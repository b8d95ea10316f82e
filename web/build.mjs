// Bundles the page into a folder and packs it: node build.mjs FOLDER
// Writes index.html, app.js, app.css and favicon.svg, each with a .gz beside it, and says their size.
import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "dist");
const LIMIT = 120 * 1024;

await mkdir(out, { recursive: true });
await build({
  entryPoints: { app: join(here, "src/main.tsx") },
  outdir: out,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2020",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  logLevel: "warning",
});

let packed = 0;
for (const name of ["index.html", "app.js", "app.css", "favicon.svg"]) {
  const bytes = await readFile(join(name.startsWith("app.") ? out : join(here, "src"), name));
  const gz = gzipSync(bytes, { level: 9 });
  await writeFile(join(out, name), bytes);
  await writeFile(join(out, `${name}.gz`), gz);
  packed += gz.length;
}
console.log(`page: ${(packed / 1024).toFixed(1)} kB gzipped`);
if (packed > LIMIT) {
  console.error(`page: more than the ${LIMIT / 1024} kB it may have`);
  process.exit(1);
}
