import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../../../src/base/errors.ts";
import { counted } from "../../../../src/base/text/counted.ts";
import type { Preset } from "../../../../src/features/presets/wire.ts";
import { client } from "../../state/store.ts";
import { confirm, Dialog } from "../../ui/dialog.tsx";
import { Comparison } from "./comparison.tsx";
import { PresetList } from "./preset-list.tsx";
import { SaveForm } from "./save-form.tsx";

interface Said {
  readonly text: string;
  readonly isBad: boolean;
}
const NOTHING: Said = { text: "", isBad: false };

/** The presets of parameters: saved, compared with the overrides now, loaded and deleted. */
export function PresetsDialog({ onClose }: { onClose: () => void }) {
  const [presets, setPresets] = useState<readonly Preset[] | null>(null);
  const [opened, setOpened] = useState<string | null>(null);
  const [last, setLast] = useState<string | null>(null);
  const [said, setSaid] = useState(NOTHING);
  const say = (text: string) => setSaid({ text, isBad: false });
  const complain = (error: unknown) => setSaid({ text: messageOf(error), isBad: true });
  const read = async () => {
    try {
      setPresets((await client.request({ type: "request_presets" })).presets);
    } catch (error) {
      complain(error);
    }
  };
  useEffect(() => void read(), []);
  const remove = async (name: string) => {
    const text = "Its file is removed. Overrides stay as they are.";
    if (!(await confirm({ title: `Delete preset ${name}?`, text, yes: "Delete", isDanger: true }))) return;
    try {
      await client.request({ type: "delete_preset", name });
      say(`Deleted ${name}.`);
    } catch (error) {
      complain(error);
    }
    await read();
  };
  const list = presets ?? [];
  return (
    <Dialog label={opened === null ? "Presets" : `Preset ${opened}`} title class="presets" onClose={onClose}>
      {opened === null ? (
        <>
          {presets !== null && (
            <PresetList
              presets={list}
              last={last}
              onOpen={(name) => {
                setSaid(NOTHING);
                setOpened(name);
                setLast(name);
              }}
              onDelete={(name) => void remove(name)}
            />
          )}
          <SaveForm
            names={list.map(({ name }) => name)}
            onSaved={({ name, values }, unanswered) => {
              setSaid({ text: [`Saved ${name}: ${counted(values, "value")}.`, ...unanswered].join(" "), isBad: unanswered.length > 0 });
              void read();
            }}
            onFailed={complain}
          />
        </>
      ) : (
        <Comparison
          name={opened}
          others={list.filter(({ name, problem }) => name !== opened && problem === null).map(({ name }) => name)}
          onBack={() => {
            setSaid(NOTHING);
            setOpened(null);
          }}
          onLoaded={(text) => {
            say(text);
            setOpened(null);
          }}
        />
      )}
      <p class={said.isBad ? "bad" : "soft"} role="status">
        {said.text}
      </p>
    </Dialog>
  );
}
