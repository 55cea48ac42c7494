import { useState } from "preact/hooks";
import { MAX_DESCRIPTION_CHARS, MAX_PRESET_NAME_CHARS } from "../../../../src/features/presets/limits.ts";
import { PRESET_NAME, PRESET_NAME_RULE } from "../../../../src/features/presets/preset-name.ts";
import type { Preset } from "../../../../src/features/presets/wire.ts";
import { refusalOf } from "../../state/access.ts";
import { client } from "../../state/store.ts";
import { isConnected } from "../../ui/connected.ts";
import { confirm } from "../../ui/dialog.tsx";
import { Labelled } from "../../ui/labelled.tsx";

interface Props {
  /** Names of the presets that are there. */
  readonly names: readonly string[];
  readonly onSaved: (preset: Preset, unanswered: readonly string[]) => void;
  readonly onFailed: (error: unknown) => void;
}

/** A form that saves the overrides now. */
export function SaveForm({ names, onSaved, onFailed }: Props) {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [pattern, setPattern] = useState("*");
  const [all, setAll] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const refusal = refusalOf({ type: "save_preset" }, "Saving a preset");
  const save = async () => {
    if (isBusy || refusal !== null || !isConnected.value) return;
    if (!PRESET_NAME.test(name)) return onFailed(new Error(`The name ${PRESET_NAME_RULE}.`));
    const replace = names.includes(name);
    const text = "Its values are replaced by those now.";
    if (replace && !(await confirm({ title: `Replace preset ${name}?`, text, yes: "Replace", isDanger: true }))) return;
    setBusy(true);
    try {
      const about = description === "" ? {} : { description };
      const { preset, unanswered } = await client.request({
        type: "save_preset",
        name,
        pattern: pattern.trim() === "" ? "*" : pattern.trim(),
        all,
        replace,
        ...about,
      });
      setName("");
      setDescription("");
      onSaved(preset, unanswered);
    } catch (error) {
      onFailed(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      class="call-form"
      aria-label="Save a preset"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Labelled text="Save the overrides now as">
        <input
          data-first
          spellcheck={false}
          readOnly={refusal !== null}
          value={name}
          maxLength={MAX_PRESET_NAME_CHARS}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </Labelled>
      <Labelled text="Description">
        <input
          readOnly={refusal !== null}
          value={description}
          maxLength={MAX_DESCRIPTION_CHARS}
          onInput={(event) => setDescription(event.currentTarget.value)}
        />
      </Labelled>
      <Labelled text="Parameters, a pattern for NAME or SERVICE:NAME">
        <input spellcheck={false} readOnly={refusal !== null} value={pattern} onInput={(event) => setPattern(event.currentTarget.value)} />
      </Labelled>
      <label class="check-row">
        <input type="checkbox" checked={all} onChange={(event) => setAll(event.currentTarget.checked)} />
        Also parameters without an override
      </label>
      {refusal !== null && <p class="soft">{refusal}</p>}
      <div class="dialog-buttons">
        <button type="submit" class="strong" aria-disabled={isBusy || refusal !== null || !isConnected.value ? true : undefined}>
          Save
        </button>
      </div>
    </form>
  );
}
