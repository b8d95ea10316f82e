import type { ComponentChildren } from "preact";

export type BarTone = "use" | "memory" | "power" | "warning" | "error";

const FULL = 0.9;

// A share of a whole; the text beside it says the same.
export function Bar({ share, tone }: { share: number | null; tone: BarTone }) {
  const width = share === null ? 0 : Math.min(Math.max(share, 0), 1) * 100;
  return (
    <span class={`bar bar-${tone} ${share === null ? "bar-absent" : ""}`} aria-hidden="true">
      <span style={{ width: `${width.toFixed(1)}%` }} />
    </span>
  );
}

export interface MeterProps {
  label: ComponentChildren;
  share: number | null;
  tone: BarTone;
  children: ComponentChildren;
}

export function Meter({ label, share, tone, children }: MeterProps) {
  return (
    <div class="meter">
      <span class="meter-label">{label}</span>
      <span class="meter-value">{children}</span>
      <Bar share={share} tone={tone} />
    </div>
  );
}

// Memory that is nearly full is told apart.
export function memoryTone(share: number | null): BarTone {
  return share !== null && share > FULL ? "warning" : "memory";
}
