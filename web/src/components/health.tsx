import type { Complaint } from "../data/complaints";
import { Badge } from "./badge";

export function Health({ complaints, most }: { complaints: Complaint[]; most: number }) {
  if (complaints.length === 0) return <Badge tone="good">Healthy</Badge>;
  const rest = complaints.slice(most);
  return (
    <span class="badges">
      {complaints.slice(0, most).map(({ tone, text, title }) => (
        <Badge key={text} tone={tone} title={title}>
          {text}
        </Badge>
      ))}
      {rest.length > 0 && (
        <Badge tone="plain" title={rest.map(({ text }) => text).join(", ")}>
          +{rest.length}
        </Badge>
      )}
    </span>
  );
}
