import { useState } from "preact/hooks";
import { Icon } from "../../components/icon";
import { Link } from "../../router";
import type { Reason, Verdict } from "./verdict";

const SHOWN = 6;

export function VerdictBanner({ verdict, detail }: { verdict: Verdict; detail: string }) {
  const [all, setAll] = useState(false);
  const reasons = all ? verdict.reasons : verdict.reasons.slice(0, SHOWN);
  const more = verdict.reasons.length - SHOWN;
  return (
    <section class={`verdict tone-${verdict.tone}`} aria-label="Verdict">
      <div class="verdict-line">
        <span class="verdict-icon">
          <Icon name={verdict.icon} />
        </span>
        <p class="verdict-headline" role="status" aria-live="polite">
          {verdict.headline}
        </p>
        <p class="verdict-detail">{detail}</p>
      </div>
      {reasons.length > 0 && (
        <ul class="reasons">
          {reasons.map((reason) => (
            <ReasonItem key={`${reason.view} ${reason.text}`} reason={reason} />
          ))}
          {more > 0 && (
            <li>
              <button type="button" class="text-button" onClick={() => setAll(!all)}>
                {all ? "Fewer" : `${more} more`}
              </button>
            </li>
          )}
        </ul>
      )}
    </section>
  );
}

function ReasonItem({ reason }: { reason: Reason }) {
  return (
    <li>
      <Link view={reason.view} id={reason.id} class={`reason tone-${reason.tone}`}>
        <Icon name={reason.tone} />
        <span>{reason.text}</span>
      </Link>
    </li>
  );
}
