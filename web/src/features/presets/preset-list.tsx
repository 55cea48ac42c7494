import { useLayoutEffect, useRef } from "preact/hooks";
import { counted } from "../../../../src/base/text/counted.ts";
import type { Preset } from "../../../../src/features/presets/wire.ts";
import { refusalOf } from "../../state/access.ts";
import { Button } from "../../ui/button.tsx";
import { IconButton } from "../../ui/marks/icons.tsx";

interface Props {
  readonly presets: readonly Preset[];
  /** The preset that was opened last. */
  readonly last: string | null;
  readonly onOpen: (name: string) => void;
  readonly onDelete: (name: string) => void;
}

/** The presets, each with a button that compares it and one that deletes it. */
export function PresetList({ presets, last, onOpen, onDelete }: Props) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (document.activeElement !== document.body) return;
    // The element that had the focus is gone, with its preset or with the comparison: the next key would go to the page.
    const rows = [...(box.current?.querySelectorAll<HTMLElement>("li") ?? [])];
    const row = rows.find(({ dataset }) => dataset.preset === last) ?? rows[0];
    (row?.querySelector<HTMLElement>("button") ?? box.current?.closest("dialog")?.querySelector<HTMLElement>("[data-first]"))?.focus();
  }, [presets, last]);
  const refusal = refusalOf({ type: "delete_preset" }, "Deleting a preset");
  return (
    <div ref={box}>
      {presets.length === 0 && <p class="soft">None yet. A preset keeps the overrides of parameters in a file.</p>}
      <ul class="preset-list" aria-label="Presets">
        {presets.map((preset) => (
          <li key={preset.name} data-preset={preset.name}>
            <Button class="grow" needsManager enabled={preset.problem === null} onClick={() => onOpen(preset.name)}>
              <span class="preset-name">{preset.name}</span>
              <span class={preset.problem === null ? "soft" : "bad"}>{preset.problem ?? summaryOf(preset)}</span>
            </Button>
            <IconButton
              icon="close"
              label={`Delete ${preset.name}`}
              word="Delete"
              needsManager
              forbidden={refusal}
              onClick={() => onDelete(preset.name)}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** `Slow · 2 values · ada, 2026-11-21 08:14 UTC`. */
function summaryOf({ description, values, saved_by, saved_at }: Preset): string {
  const at = saved_at === null ? "" : `${saved_at.slice(0, 16).replace("T", " ")} UTC`;
  const saved = [saved_by, at].filter((text) => text !== "").join(", ");
  return [description, counted(values, "value"), saved].filter((text) => text !== "").join(" · ");
}
