// A chart to take away: as a picture, or as its numbers.
import { formatDateTime, formatValue } from "../format";
import { fontOf } from "./axes";
import { colorOf } from "./series";
import { lastValue } from "./summary";
import type { Theme } from "./theme";
import type { Bounds, Line, Value } from "./types";

const MARGIN = 14;
const TITLE_HEIGHT = 30;
const LEGEND_HEIGHT = 20;

export interface Caption {
  title: string;
  subject: string; // what it is about: the GPU or engine
  bounds: Bounds;
}

// The drawn chart under its title, over its legend.
export function savePng(plot: HTMLCanvasElement, caption: Caption, lines: Line[], theme: Theme): void {
  const scale = devicePixelRatio;
  const width = plot.width / scale + 2 * MARGIN;
  const entries = legendOf(lines, theme, width - 2 * MARGIN);
  const rows = (entries[entries.length - 1]?.row ?? 0) + 1;
  const height = plot.height / scale + 2 * MARGIN + 2 * TITLE_HEIGHT + rows * LEGEND_HEIGHT;
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(width * scale);
  canvas.height = Math.ceil(height * scale);
  const ctx = canvas.getContext("2d");
  if (!ctx) return;
  ctx.scale(scale, scale);
  ctx.fillStyle = theme.surface;
  ctx.fillRect(0, 0, width, height);
  ctx.textBaseline = "middle";
  ctx.fillStyle = theme.text;
  ctx.font = `600 ${fontOf(theme, 15)}`;
  ctx.fillText(caption.title, MARGIN, MARGIN + TITLE_HEIGHT / 2);
  ctx.fillStyle = theme.muted;
  ctx.font = fontOf(theme, 12);
  const { from, to } = caption.bounds;
  const span = `${formatDateTime(from)} to ${formatDateTime(to)}`;
  ctx.fillText([caption.subject, span].filter(Boolean).join(", "), MARGIN, MARGIN + TITLE_HEIGHT * 1.3);
  const top = MARGIN + 2 * TITLE_HEIGHT;
  ctx.drawImage(plot, MARGIN, top, plot.width / scale, plot.height / scale);
  for (const { text, color, left, row } of entries) {
    const y = top + plot.height / scale + (row + 0.5) * LEGEND_HEIGHT;
    ctx.fillStyle = color;
    ctx.fillRect(MARGIN + left, y - 2, 12, 4);
    ctx.fillStyle = theme.text;
    ctx.fillText(text, MARGIN + left + 18, y);
  }
  canvas.toBlob((blob) => blob && download(blob, fileName(caption, "png")));
}

// One column a line, and two for its band; the unit in its head, as in docs/metrics.md.
export function saveCsv(caption: Caption, times: number[], lines: Line[]): void {
  const columns = lines.flatMap(columnsOf);
  const head = ["time", ...columns.map(({ name }) => name)];
  const rows = times.map((time, i) => [
    new Date(time * 1000).toISOString(),
    ...columns.map(({ values }) => String(values[i] ?? "")),
  ]);
  const text = [head, ...rows].map((row) => row.map(quoted).join(",")).join("\r\n");
  download(new Blob([`${text}\r\n`], { type: "text/csv" }), fileName(caption, "csv"));
}

function columnsOf({ label, unit, values, low, high }: Line): { name: string; values: Value[] }[] {
  const columns = [{ name: `${label} [${unit}]`, values }];
  if (low) columns.push({ name: `${label}, lowest [${unit}]`, values: low });
  if (high) columns.push({ name: `${label}, highest [${unit}]`, values: high });
  return columns;
}

interface LegendEntry {
  text: string;
  color: string;
  left: number;
  row: number;
}

function legendOf(lines: Line[], theme: Theme, width: number): LegendEntry[] {
  const ctx = document.createElement("canvas").getContext("2d");
  if (ctx) ctx.font = fontOf(theme, 12);
  let left = 0;
  let row = 0;
  return lines.map((line) => {
    const text = `${line.label} ${formatValue(lastValue(line.values), line.unit)}`;
    const length = 18 + (ctx?.measureText(text).width ?? 0) + 18;
    if (left > 0 && left + length > width) {
      left = 0;
      ++row;
    }
    const entry = { text, color: colorOf(line, theme), left, row };
    left += length;
    return entry;
  });
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

function fileName({ title, subject, bounds }: Caption, extension: string): string {
  const time = new Date(bounds.to * 1000).toISOString().replace(/\.\d+/, "");
  const name = [subject, title, time].join(" ");
  return `${name.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "").toLowerCase()}.${extension}`;
}

function download(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
