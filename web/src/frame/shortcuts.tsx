import { useEffect, useState } from "preact/hooks";
import { Dialog } from "../components/dialog";
import { navigate, type ViewName } from "../router";

const VIEWS: [string, ViewName, string][] = [
  ["n", "node", "Node"],
  ["w", "workloads", "Workloads"],
  ["e", "events", "Events and alerts"],
  ["a", "agent", "Agent"],
];
const PAUSE = 1200; // longest between g and the letter

// Listens for as long as it is mounted; shows the help for "?". Another `showHelp` would forget that g
// was pressed.
function useShortcuts(showHelp: (shown: boolean) => void): void {
  useEffect(() => {
    let going = 0;
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector("dialog[open]")) return;
      if (event.key === "?") showHelp(true);
      const view = VIEWS.find(([key]) => key === event.key)?.[1];
      if (view && Date.now() - going < PAUSE) navigate(view);
      going = event.key === "g" ? Date.now() : 0;
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [showHelp]);
}

export function HelpButton() {
  const [open, setOpen] = useState(false);
  useShortcuts(setOpen);
  return (
    <>
      <button
        type="button"
        class="icon-button"
        aria-label="Keyboard help"
        title="Keyboard help (?)"
        onClick={() => setOpen(true)}
      >
        ?
      </button>
      {open && <HelpDialog onClose={() => setOpen(false)} />}
    </>
  );
}

type Help = [keys: string[], meaning: string];

const EVERYWHERE: Help[] = [
  ...VIEWS.map(([key, , name]): Help => [["g", key], name]),
  [["?"], "This help"],
  [["Esc"], "Close a dialog"],
];

const ON_A_CHART: Help[] = [
  [["←", "→"], "Move the cursor and read the values"],
  [["Home", "End"], "To the first or last value"],
  [["Shift", "← →"], "Move the range"],
  [["+", "-"], "Zoom in or out around the cursor"],
  [["Enter"], "Zoom out"],
  [["Esc"], "Back to live"],
];

const WITH_THE_MOUSE: Help[] = [
  [["drag"], "Zoom into what is marked"],
  [["Shift", "drag"], "Move the range; so does a sideways wheel"],
  [["Ctrl", "wheel"], "Zoom"],
  [["double click"], "Back to live"],
];

function HelpDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard and mouse" onClose={onClose}>
      <HelpList list={EVERYWHERE} />
      <h3>On a chart that has the focus</h3>
      <HelpList list={ON_A_CHART} />
      <h3>On a chart with the mouse</h3>
      <HelpList list={WITH_THE_MOUSE} />
    </Dialog>
  );
}

function HelpList({ list }: { list: Help[] }) {
  return (
    <dl class="keys">
      {list.map(([keys, meaning]) => (
        <div key={keys.join(" ")}>
          <dt>
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName))
  );
}
