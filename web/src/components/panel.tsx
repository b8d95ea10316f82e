import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

export interface PanelProps {
  title: string;
  note?: ComponentChildren;
  actions?: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}

export function Panel({ title, note, actions, class: extra = "", children }: PanelProps) {
  const id = useId();
  return (
    <section class={`panel ${extra}`} aria-labelledby={id}>
      <header class="panel-head">
        <h2 id={id}>{title}</h2>
        {note && <span class="note">{note}</span>}
        {actions && <div class="panel-actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}
