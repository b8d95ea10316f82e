import type { ComponentChildren } from "preact";
import { Bar, type BarTone } from "./bar";

export interface TileProps {
  label: string;
  value: ComponentChildren;
  detail?: ComponentChildren;
  share?: number | null;
  tone?: BarTone;
}

export function Tiles({ children }: { children: ComponentChildren }) {
  return <dl class="tiles">{children}</dl>;
}

export function Tile({ label, value, detail, share, tone = "use" }: TileProps) {
  return (
    <div class="tile">
      <dt>{label}</dt>
      <dd>
        <span class="tile-value">{value}</span>
        {detail && <span class="tile-detail">{detail}</span>}
        {share !== undefined && <Bar share={share} tone={tone} />}
      </dd>
    </div>
  );
}
