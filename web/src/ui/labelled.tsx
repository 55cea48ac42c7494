import type { ComponentChildren } from "preact";

/** A form control below its name. */
export function Labelled({ text, children }: { text: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is what it is given
    <label>
      <span>{text}</span>
      {children}
    </label>
  );
}
