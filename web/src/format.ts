// Numbers as people read them. What is absent is a dash, never a zero.

export const ABSENT = "–";

type Maybe = number | null | undefined;

// A value in a metric's unit (docs/metrics.md), scaled: 5.1e8 "By" is "486 MiB", 0.93 "1" is "93 %".
export function formatValue(value: Maybe, unit: string): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return ABSENT;
  switch (unit) {
    case "1":
      return formatShare(value);
    case "%":
      return `${digits(value)} %`;
    case "By":
      return formatBytes(value);
    case "By/s":
      return `${formatBytes(value)}/s`;
    case "W":
      return Math.abs(value) >= 10_000 ? `${digits(value / 1000)} kW` : `${digits(value)} W`;
    case "J":
      return formatEnergy(value);
    case "Hz":
      return value >= 1e9 ? `${(value / 1e9).toFixed(2)} GHz` : `${(value / 1e6).toFixed(0)} MHz`;
    case "Cel":
      return `${digits(value)} °C`;
    case "s":
      return formatSeconds(value);
    case "{bool}":
      return value ? "yes" : "no";
    case "":
      return formatCount(value);
    default:
      return `${formatCount(value)} ${unitName(unit)}${takesPlural(value, unit) ? "s" : ""}`;
  }
}

// The unit as text: "{token}/s" is "token/s", "Cel" is "°C", "1" is "%".
export function unitName(unit: string): string {
  switch (unit) {
    case "1":
      return "%";
    case "Cel":
      return "°C";
    case "By":
      return "B";
    case "By/s":
      return "B/s";
    case "{bool}":
      return "";
    default:
      return unit.replace(/[{}]/g, "");
  }
}

function takesPlural(value: number, unit: string): boolean {
  return /^\{\w*[^s]\}$/.test(unit) && value !== 1;
}

export function formatShare(value: Maybe): string {
  if (value === null || value === undefined) return ABSENT;
  const percent = value * 100;
  if (Math.abs(percent) >= 0.05 && Math.abs(percent) < 0.95) return `${percent.toFixed(1)} %`;
  return `${percent.toFixed(0)} %`;
}

export function formatBytes(value: Maybe): string {
  if (value === null || value === undefined) return ABSENT;
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let scaled = value;
  let step = 0;
  while (Math.abs(scaled) >= 1024 && step < units.length - 1) {
    scaled /= 1024;
    ++step;
  }
  return `${step === 0 ? scaled.toFixed(0) : digits(scaled)} ${units[step]}`;
}

// Bytes in GiB without the unit, for "68.2 / 80 GiB".
export function gibibytes(value: Maybe): string {
  return value === null || value === undefined ? ABSENT : digits(value / 2 ** 30);
}

export function formatEnergy(joules: Maybe): string {
  if (joules === null || joules === undefined) return ABSENT;
  const wattHours = joules / 3600;
  if (wattHours >= 1e6) return `${digits(wattHours / 1e6)} MWh`;
  return wattHours >= 1000 ? `${digits(wattHours / 1000)} kWh` : `${digits(wattHours)} Wh`;
}

export function formatCount(value: Maybe): string {
  if (value === null || value === undefined) return ABSENT;
  const size = Math.abs(value);
  if (size >= 1e9) return `${digits(value / 1e9)} G`;
  if (size >= 1e6) return `${digits(value / 1e6)} M`;
  if (size >= 1e4) return `${digits(value / 1e3)} k`;
  return Number.isInteger(value) ? String(value) : digits(value);
}

// A short time, such as a latency: "310 ms", "2.1 s", "4 min".
export function formatSeconds(value: Maybe): string {
  if (value === null || value === undefined) return ABSENT;
  const size = Math.abs(value);
  if (size === 0) return "0 s";
  if (size < 1e-3) return `${digits(value * 1e6)} µs`;
  if (size < 1) return `${digits(value * 1e3)} ms`;
  return size < 120 ? `${digits(value)} s` : formatDuration(value);
}

// How long something lasts, in its two largest units: "3 d 4 h", "12 min".
export function formatDuration(seconds: Maybe): string {
  if (seconds === null || seconds === undefined) return ABSENT;
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const parts: [number, string][] = [
    [Math.floor(whole / 86_400), "d"],
    [Math.floor((whole % 86_400) / 3600), "h"],
    [Math.floor((whole % 3600) / 60), "min"],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}

// "14:03:22", with the day when it is not today.
export function formatTime(seconds: Maybe): string {
  if (seconds === null || seconds === undefined) return ABSENT;
  const date = new Date(seconds * 1000);
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return date.toDateString() === new Date().toDateString() ? clock : `${dayOf(date)} ${clock}`;
}

// "2026-11-15 14:03:22 +01:00", for titles and tables of record.
export function formatDateTime(seconds: Maybe): string {
  if (seconds === null || seconds === undefined) return ABSENT;
  const date = new Date(seconds * 1000);
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clock} ${zoneOf(date)}`;
}

// "4 min ago".
export function formatAgo(seconds: Maybe, now = Date.now() / 1000): string {
  if (seconds === null || seconds === undefined) return ABSENT;
  return now - seconds < 5 ? "just now" : `${formatDuration(coarse(now - seconds))} ago`;
}

function coarse(seconds: number): number {
  return seconds >= 60 ? seconds - (seconds % 60) : seconds;
}

function digits(value: number): string {
  const size = Math.abs(value);
  if (size >= 99.95 || size === 0) return value.toFixed(0);
  return trimmed(
    size >= 9.995 ? value.toFixed(1) : size >= 0.1 ? value.toFixed(2) : value.toPrecision(2),
  );
}

function trimmed(text: string): string {
  return text.includes(".") && !text.includes("e") ? text.replace(/\.?0+$/, "") : text;
}

function dayOf(date: Date): string {
  return `${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function zoneOf(date: Date): string {
  const east = -date.getTimezoneOffset();
  const minutes = Math.abs(east);
  return `${east < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
