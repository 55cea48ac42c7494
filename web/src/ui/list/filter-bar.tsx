import type { ReadonlySignal } from "@preact/signals";
import type { ComponentChildren } from "preact";

/** A field for the filter of a list, and the number of items that match. */
export function FilterBar({
  text,
  label,
  shown,
  all,
  children,
}: {
  text: ReadonlySignal<string> & { value: string };
  label: string;
  shown: number;
  all: number;
  /** Buttons at the end. */
  children?: ComponentChildren;
}) {
  return (
    <div class="data-filter">
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
      />
      <span class="soft" aria-live="polite">
        {text.value !== "" && `${shown} of ${all}`}
      </span>
      {children}
    </div>
  );
}
