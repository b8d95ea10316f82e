import { useState } from "preact/hooks";
import { Dialog } from "../../components/dialog";
import { ErrorNote } from "../../components/empty";
import { Segments } from "../../components/segments";
import { postSilence, type Alert, type ApiError } from "../../data/api";

const LENGTHS = [
  ["3600", "1 hour"],
  ["14400", "4 hours"],
  ["86400", "1 day"],
] as const;

export interface SilenceDialogProps {
  alert: Alert;
  onClose: () => void;
  onDone: () => void;
}

export function SilenceDialog({ alert, onClose, onDone }: SilenceDialogProps) {
  const [length, setLength] = useState<(typeof LENGTHS)[number][0]>("3600");
  const [wide, setWide] = useState(false);
  const [comment, setComment] = useState("");
  const [sending, setSending] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const narrowing = wide ? [] : deviceMatchers(alert);
  const match = [...ruleMatcher(alert), ...narrowing];
  const submit = async (event: Event) => {
    event.preventDefault();
    setSending(true);
    const answer = await postSilence({ match, for: Number(length), comment });
    setSending(false);
    if (answer.ok) onDone();
    else setError(answer.error);
  };
  return (
    <Dialog title={`Silence ${alert.name}`} onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        <p>{alert.summary}</p>
        <Segments label="For how long" options={LENGTHS} chosen={length} onChoose={setLength} />
        {deviceMatchers(alert).length > 0 && (
          <label class="check">
            <input
              type="checkbox"
              checked={wide}
              onChange={(e) => setWide(e.currentTarget.checked)}
            />
            For everything this rule is about, not only here
          </label>
        )}
        <label>
          Comment
          <input
            value={comment}
            maxLength={200}
            placeholder="why, and who"
            onInput={(e) => setComment(e.currentTarget.value)}
          />
        </label>
        <p class="faint">
          {narrowing.length > 0 ? "Silences what matches " : "Silences all alerts of this rule: "}
          <code>{match.join(", ")}</code>
        </p>
        {error && <ErrorNote error={error} />}
        <button type="submit" class="primary" disabled={sending}>
          Silence
        </button>
      </form>
    </Dialog>
  );
}

// What names the thing an alert is about: owners come and go.
const NAMING = ["gpu.uuid", "gpu.mig.uuid", "server.address", "model.name", "sink"];

function ruleMatcher(alert: Alert): string[] {
  return [`alert.name=${alert.name}`];
}

function deviceMatchers(alert: Alert): string[] {
  return NAMING.flatMap((key) =>
    alert.attributes[key] ? [`${key}=${alert.attributes[key]}`] : [],
  );
}
