import type { ComponentChildren } from "preact";

interface Props {
  class?: string;
  title?: string;
  label?: string;
  pressed?: boolean;
  enabled?: boolean;
  onClick: (event: MouseEvent) => void;
  children: ComponentChildren;
}

/**
 * A button that keeps the keyboard when it can no longer be used, as by what it has just done: of a disabled one the
 * browser takes the focus away, and the next key would be the page's.
 */
export function Button({ class: name, title, label, pressed, enabled = true, onClick, children }: Props) {
  return (
    <button
      type="button"
      class={name}
      title={title}
      aria-label={label}
      aria-pressed={pressed}
      aria-disabled={enabled ? undefined : true}
      onClick={(event) => enabled && onClick(event)}
    >
      {children}
    </button>
  );
}
