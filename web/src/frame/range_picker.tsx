import { useState } from "preact/hooks";
import { Dialog } from "../components/dialog";
import { Segments } from "../components/segments";
import { bounds, LIVE_RANGES, setRange, useRange, type LiveRange } from "../data/range";
import { formatTime } from "../format";

const OPTIONS = (Object.keys(LIVE_RANGES) as LiveRange[]).map((name) => [name, name] as const);

export function RangePicker() {
  const range = useRange();
  const [open, setOpen] = useState(false);
  return (
    <div class="range">
      <Segments<LiveRange | "">
        label="Time range"
        options={OPTIONS}
        chosen={range.live ? range.last : ""}
        onChoose={(name) => name && setRange(name)}
      />
      <button
        type="button"
        class="range-fixed"
        aria-pressed={!range.live}
        onClick={() => setOpen(true)}
      >
        {range.live ? "From – to" : `${formatTime(range.from)} – ${formatTime(range.to)}`}
      </button>
      {open && <FixedRangeDialog onClose={() => setOpen(false)} />}
    </div>
  );
}

function FixedRangeDialog({ onClose }: { onClose: () => void }) {
  const { from, to } = bounds(useRange(), Date.now() / 1000);
  const [first, setFirst] = useState(localText(from));
  const [last, setLast] = useState(localText(to));
  const chosen = { from: Date.parse(first) / 1000, to: Date.parse(last) / 1000 };
  const valid = chosen.from > 0 && chosen.to > chosen.from;
  return (
    <Dialog title="Time range" onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!valid) return;
          setRange(chosen);
          onClose();
        }}
      >
        <label>
          From
          <input
            type="datetime-local"
            step="1"
            value={first}
            onInput={(e) => setFirst(e.currentTarget.value)}
          />
        </label>
        <label>
          To
          <input
            type="datetime-local"
            step="1"
            value={last}
            onInput={(e) => setLast(e.currentTarget.value)}
          />
        </label>
        {!valid && <p class="tone-error">It must end after it begins.</p>}
        <button type="submit" class="primary" disabled={!valid}>
          Show
        </button>
      </form>
    </Dialog>
  );
}

// Unix seconds as a datetime-local input writes them.
function localText(seconds: number): string {
  const date = new Date(seconds * 1000);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}
