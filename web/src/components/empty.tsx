import type { ComponentChildren } from "preact";
import type { ApiError } from "../data/api";
import { Icon } from "./icon";

// Says what is not there, why that may be, and what to do.
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children && <p>{children}</p>}
    </div>
  );
}

export function ErrorNote({ error }: { error: ApiError }) {
  return (
    <p class="error-note" role="status">
      <Icon name="warning" />
      <span>
        {sentence(error.message)} {sentence(error.hint)}
      </span>
    </p>
  );
}

// The agent's words as a sentence.
function sentence(text: string): string {
  if (text === "") return "";
  return `${text[0]?.toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? "" : "."}`;
}
