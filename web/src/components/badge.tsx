import type { ComponentChildren } from "preact";
import type { Severity } from "../data/api";
import { Icon, type IconName } from "./icon";

export type Tone = "good" | "warning" | "error" | "info" | "idle" | "plain";

const ICONS: Record<Exclude<Tone, "plain">, IconName> = {
  good: "good",
  warning: "warning",
  error: "error",
  info: "info",
  idle: "idle",
};

export interface BadgeProps {
  tone: Tone;
  title?: string | undefined;
  children: ComponentChildren;
}

export function Badge({ tone, title, children }: BadgeProps) {
  return (
    <span class={`badge tone-${tone}`} title={title}>
      {tone !== "plain" && <Icon name={ICONS[tone]} />}
      <span class="badge-text">{children}</span>
    </span>
  );
}

export function SeverityBadge({ severity }: { severity: Severity }) {
  return <Badge tone={severity}>{severity}</Badge>;
}
