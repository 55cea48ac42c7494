import type { ComponentChildren } from "preact";
import { isNarrow } from "./browser/screen.ts";
import { isConnected } from "./connected.ts";
import { toast } from "./toasts.ts";

interface Props {
  class?: string;
  title?: string;
  label?: string;
  pressed?: boolean;
  /** The menu that it opens. */
  popup?: { id: string; isOpen: boolean };
  enabled?: boolean;
  /** Whether it is disabled while the manager cannot be reached. */
  needsManager?: boolean;
  /** Why the user may not use it: it is disabled, and says so. */
  forbidden?: string | null;
  onClick: (event: MouseEvent) => void;
  children: ComponentChildren;
}

/**
 * A button that keeps the focus when it is disabled, for example by its own action: browsers take the focus from a disabled button, and the next
 * key would go to the page.
 */
export function Button({
  class: name,
  title,
  label,
  pressed,
  popup,
  enabled = true,
  needsManager = false,
  forbidden = null,
  onClick,
  children,
}: Props) {
  // Fingers have no tooltip: a tap says why.
  const says = forbidden !== null && isNarrow.value ? () => void toast(forbidden) : null;
  const isOn = enabled && forbidden === null && !(needsManager && !isConnected.value);
  return (
    <button
      type="button"
      class={name}
      title={forbidden ?? title}
      aria-label={label}
      aria-pressed={pressed}
      aria-haspopup={popup && "menu"}
      aria-expanded={popup?.isOpen}
      aria-controls={popup?.isOpen ? popup.id : undefined}
      aria-disabled={isOn ? undefined : true}
      // A key that is held down counts as one press.
      onKeyDown={(event) => event.repeat && event.key === "Enter" && event.preventDefault()}
      onClick={(event) => (isOn ? onClick(event) : says?.())}
    >
      {children}
    </button>
  );
}
