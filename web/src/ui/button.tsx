import type { ComponentChildren } from "preact";
import { isConnected } from "./connected.ts";

interface Props {
  class?: string;
  title?: string;
  label?: string;
  pressed?: boolean;
  /** The menu that it opens. */
  popup?: { id: string; isOpen: boolean };
  enabled?: boolean;
  /** Off while the manager cannot be reached. */
  needsManager?: boolean;
  onClick: (event: MouseEvent) => void;
  children: ComponentChildren;
}

/**
 * A button that keeps the keyboard when it can no longer be used, as by what it has just done: of a disabled one the
 * browser takes the focus away, and the next key would be the page's.
 */
export function Button({ class: name, title, label, pressed, popup, enabled = true, needsManager = false, onClick, children }: Props) {
  const isOn = enabled && !(needsManager && !isConnected.value);
  return (
    <button
      type="button"
      class={name}
      title={title}
      aria-label={label}
      aria-pressed={pressed}
      aria-haspopup={popup && "menu"}
      aria-expanded={popup?.isOpen}
      aria-controls={popup?.isOpen ? popup.id : undefined}
      aria-disabled={isOn ? undefined : true}
      // A key that is held down is one press.
      onKeyDown={(event) => event.repeat && event.key === "Enter" && event.preventDefault()}
      onClick={(event) => isOn && onClick(event)}
    >
      {children}
    </button>
  );
}
