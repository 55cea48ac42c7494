import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../../ui/button.tsx";
import { hueOf } from "./hues.ts";

interface Props {
  readonly members: readonly string[];
  readonly shown: readonly string[];
  /** Called with the chosen processes; null: all. */
  readonly onChoose: (only: readonly string[] | null) => void;
}

/** A button with a list of processes to choose from. */
export function ProcessChooser({ members, shown, onChoose }: Props) {
  const box = useRef<HTMLSpanElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (!isOpen) return;
    const onPointer = (event: Event) => event.target instanceof Node && !box.current?.contains(event.target) && setOpen(false);
    addEventListener("pointerdown", onPointer);
    return () => removeEventListener("pointerdown", onPointer);
  }, [isOpen]);
  const toggle = (name: string) => {
    const next = shown.includes(name) ? shown.filter((one) => one !== name) : [...shown, name];
    onChoose(next.length === members.length ? null : next.length === 0 ? [name] : next);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the button and the list in it
    <span
      class="chooser"
      ref={box}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen) return;
        setOpen(false);
        box.current?.querySelector("button")?.focus();
        event.stopPropagation();
      }}
    >
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {shown.length === members.length ? `${members.length} processes` : `${shown.length} of ${members.length} processes`}
      </button>
      {isOpen && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend would be drawn in its border
        <div class="chooser-list" role="group" aria-label="Processes">
          <Button enabled={shown.length < members.length} onClick={() => onChoose(null)}>
            All
          </Button>
          {members.map((name, index) => (
            <span key={name} class="choice">
              <label>
                <input type="checkbox" checked={shown.includes(name)} onChange={() => toggle(name)} />
                <span class={`hue-${hueOf(index)}`}>{name}</span>
              </label>
              <button type="button" class="flat" aria-label={`Only ${name}`} onClick={() => onChoose([name])}>
                only
              </button>
            </span>
          ))}
        </div>
      )}
    </span>
  );
}
