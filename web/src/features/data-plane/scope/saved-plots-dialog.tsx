import { useRef, useState } from "preact/hooks";
import { messageOf } from "../../../../../src/base/errors.ts";
import { kept } from "../../../state/settings.ts";
import { downloadText } from "../../../ui/browser/download.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Labelled } from "../../../ui/labelled.tsx";
import { IconButton } from "../../../ui/marks/icons.tsx";
import { plot, plotted, setPlot } from "./plotted.ts";
import {
  fileOfSaved,
  MAX_FILE_BYTES,
  MAX_NAME,
  MAX_SAVED,
  readStored,
  type SavedPlot,
  savedOfFile,
  storedForm,
  withSaved,
} from "./saved-plots.ts";

/** The saved plots, in their stored form. */
const stored = kept<ReturnType<typeof storedForm>>("savedPlots", [], (value) => {
  const read = readStored(value);
  return read && storedForm(read);
});

/** Saves the plot under a name, and opens, removes, exports and imports saved plots. This browser keeps them. */
export function SavedPlotsDialog({ onClose }: { onClose: () => void }) {
  const saved = readStored(stored.value) ?? [];
  const [name, setName] = useState("");
  const [status, setStatus] = useState("");
  const file = useRef<HTMLInputElement>(null);
  const add = (more: readonly SavedPlot[], said: string) => {
    const { saved: all, refused } = withSaved(saved, more);
    stored.value = storedForm(all);
    setStatus(refused === 0 ? said : `${refused} did not find room: at most ${MAX_SAVED} plots are saved. Remove some first.`);
  };
  const open = (one: SavedPlot) => {
    setPlot(one.plot);
    onClose();
  };
  const importFrom = async (chosen: File) => {
    try {
      if (chosen.size > MAX_FILE_BYTES) throw new Error("The file is larger than 1 MiB. Choose a file that was exported here.");
      const more = savedOfFile(await chosen.text());
      add(more, more.length === 1 ? "1 plot imported." : `${more.length} plots imported.`);
    } catch (error) {
      setStatus(messageOf(error));
    }
  };
  return (
    <Dialog label="Saved plots" title onClose={onClose}>
      <form
        class="call-form saved-plots"
        onSubmit={(event) => {
          event.preventDefault();
          const chosen = name.trim();
          if (chosen === "" || plotted.value.length === 0) return setStatus("Enter a name, and plot something first.");
          add([{ name: chosen, plot: plot.value }], `Saved as ${chosen}.`);
          setName("");
        }}
      >
        {saved.length === 0 ? (
          <p class="soft">None yet. Fields, derived series, length of the window, scale and trigger are saved.</p>
        ) : (
          <ul aria-label="Saved plots">
            {saved.map((one) => (
              <li key={one.name}>
                <Button class="grow" onClick={() => open(one)}>
                  <span class="saved-name">{one.name}</span>
                  <span class="soft">{one.plot.traces.length + one.plot.derived.length} traces</span>
                </Button>
                <IconButton
                  icon="close"
                  label={`Remove ${one.name}`}
                  onClick={() => {
                    stored.value = storedForm(saved.filter((other) => other !== one));
                    setStatus(`Removed ${one.name}.`);
                  }}
                />
              </li>
            ))}
          </ul>
        )}
        <Labelled text="Save the shown plot as">
          <input data-first value={name} maxLength={MAX_NAME} onInput={(event) => setName(event.currentTarget.value)} />
        </Labelled>
        <p class="soft" role="status">
          {status}
        </p>
        <div class="dialog-buttons">
          <input
            ref={file}
            type="file"
            accept=".json,application/json"
            aria-label="File of saved plots"
            hidden
            onChange={(event) => {
              const [chosen] = event.currentTarget.files ?? [];
              event.currentTarget.value = "";
              if (chosen !== undefined) void importFrom(chosen);
            }}
          />
          <Button onClick={() => file.current?.click()}>Import…</Button>
          <Button enabled={saved.length > 0} onClick={() => downloadText(fileOfSaved(saved), "application/json", "plots.json")}>
            Export
          </Button>
          <button type="submit" class="strong">
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}
