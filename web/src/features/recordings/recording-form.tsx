import { useState } from "preact/hooks";
import { messageOf } from "../../../../src/base/errors.ts";
import { refusalOf } from "../../state/access.ts";
import { client } from "../../state/store.ts";
import { Button } from "../../ui/button.tsx";
import { Labelled } from "../../ui/labelled.tsx";
import { SidePanel } from "../../ui/list/side-panel.tsx";
import { ALSO_RECORDED, type RecordingForm, requestOf } from "./recording-request.ts";
import { TopicChooser } from "./topic-chooser.tsx";

interface Props {
  readonly first: RecordingForm;
  readonly onStarted: (name: string) => void;
  readonly onClose: () => void;
}

/** A form that starts a recording. */
export function RecordingFormPanel({ first, onStarted, onClose }: Props) {
  const [form, setForm] = useState(first);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const change = (part: Partial<RecordingForm>) => setForm({ ...form, ...part });
  const refusal = refusalOf({ type: "start_recording" }, "Recording");
  const canStart = form.name.trim() !== "" && !isBusy && refusal === null;
  const submit = async () => {
    if (!canStart) return;
    setBusy(true);
    setProblem(null);
    try {
      await client.request(requestOf(form));
      onStarted(form.name.trim());
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  const number = (label: string, key: "maxSizeMib" | "maxMinutes" | "maxFiles" | "freeMib", step = "1") => (
    <Labelled text={label}>
      <input
        type="number"
        min="0"
        step={step}
        inputMode="decimal"
        placeholder="As configured"
        value={form[key]}
        onInput={(event) => change({ [key]: event.currentTarget.value })}
      />
    </Labelled>
  );
  return (
    <SidePanel label="Start a recording" onClose={onClose}>
      <form
        class="detail-section call-form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Labelled text="Name">
          <input spellcheck={false} value={form.name} onInput={(event) => change({ name: event.currentTarget.value })} />
        </Labelled>
        <TopicChooser
          chosen={form.topics}
          onChange={(topics) => change({ topics })}
          patterns
          none="None selected: all topics are recorded, unless ‘record’ in the configuration says otherwise."
        />
        <details open={form.include.length > 0 || form.terminals !== ""}>
          <summary>Also record</summary>
          {ALSO_RECORDED.map(([kind, word]) => (
            <label key={kind} class="check-row">
              <input
                type="checkbox"
                checked={form.include.includes(kind)}
                onChange={(event) =>
                  change({ include: event.currentTarget.checked ? [...form.include, kind] : form.include.filter((one) => one !== kind) })
                }
              />
              {word}
            </label>
          ))}
          <Labelled text="Output of processes: names or patterns">
            <input
              placeholder="sim/* arm/controller"
              spellcheck={false}
              value={form.terminals}
              onInput={(event) => change({ terminals: event.currentTarget.value })}
            />
          </Labelled>
        </details>
        <details>
          <summary>Limits</summary>
          {number("Size of a file, MiB", "maxSizeMib", "any")}
          {number("Duration of a file, minutes", "maxMinutes", "any")}
          {number("Files on each host", "maxFiles")}
          {number("Disk counts as full below, MiB", "freeMib", "any")}
          <Labelled text="When the disk is full">
            <select value={form.onFull} onChange={(event) => change({ onFull: event.currentTarget.value as RecordingForm["onFull"] })}>
              <option value="">As configured</option>
              <option value="stop">Stop</option>
              <option value="delete_oldest">Delete the oldest files of this recording</option>
            </select>
          </Labelled>
        </details>
        <Button class="strong" needsManager enabled={canStart} forbidden={refusal} onClick={() => void submit()}>
          {isBusy ? "Starting…" : "Start recording"}
        </Button>
        <p class="bad" role="status">
          {problem}
        </p>
      </form>
    </SidePanel>
  );
}
