import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "./icon";

export interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

// Modal while it is mounted: focus stays inside, Escape closes it, focus goes back where it was.
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => event.target === element.current && onClose()}
    >
      <div class="dialog-body">
        <div class="panel-head">
          <h2 id={id}>{title}</h2>
          <button type="button" class="icon-button" onClick={onClose} aria-label="Close">
            <Icon name="close" />
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
