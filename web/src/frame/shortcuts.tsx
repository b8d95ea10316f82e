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

// Listens for as long as it is mounted; calls back for "?".
export function useShortcuts(onHelp: () => void): void {
  useEffect(() => {
    let going = 0;
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector("dialog[open]")) return;
      if (event.key === "?") onHelp();
      const view = VIEWS.find(([key]) => key === event.key)?.[1];
      if (view && Date.now() - going < PAUSE) navigate(view);
      going = event.key === "g" ? Date.now() : 0;
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [onHelp]);
}

export function HelpButton() {
  const [open, setOpen] = useState(false);
  useShortcuts(() => setOpen(true));
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

function HelpDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <dl class="keys">
        {VIEWS.map(([key, view, name]) => (
          <div key={view}>
            <dt>
              <kbd>g</kbd> <kbd>{key}</kbd>
            </dt>
            <dd>{name}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>?</kbd>
          </dt>
          <dd>This help</dd>
        </div>
        <div>
          <dt>
            <kbd>Esc</kbd>
          </dt>
          <dd>Close a dialog</dd>
        </div>
      </dl>
    </Dialog>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName))
  );
}
