import { useState } from "preact/hooks";
import { messageOf } from "../../../../src/base/errors.ts";
import { refusalOf } from "../../state/access.ts";
import { client } from "../../state/store.ts";
import { Button } from "../../ui/button.tsx";
import { Labelled } from "../../ui/labelled.tsx";
import { SidePanel } from "../../ui/list/side-panel.tsx";
import { TopicChooser } from "../recordings/public.ts";
import { configurationOf, type LoggerForm, type LoggerFormTopic, withTopics } from "./logger-form-values.ts";

interface Props {
  readonly first: LoggerForm;
  /** Whether the logger is new; the name of an existing one stays. */
  readonly isNew: boolean;
  readonly onSaved: (name: string) => void;
  readonly onClose: () => void;
}

/** A form that creates or changes a logger. */
export function LoggerFormPanel({ first, isNew, onSaved, onClose }: Props) {
  const [form, setForm] = useState(first);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const refusal = refusalOf({ type: "configure_logger" }) ?? refusalOf({ type: "start_logger" });
  const canSave = refusal === null && form.name.trim() !== "" && form.topics.length > 0 && !isBusy;
  const change = (name: string, part: Partial<LoggerFormTopic>) =>
    setForm({ ...form, topics: form.topics.map((topic) => (topic.name === name ? { ...topic, ...part } : topic)) });
  const save = async (isStarted: boolean) => {
    if (!canSave) return;
    setBusy(true);
    setProblem(null);
    const name = form.name.trim();
    try {
      await client.request(configurationOf(form));
      if (isStarted) await client.request({ type: "start_logger", name });
      onSaved(name);
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  const title = isNew ? "New logger" : `Configure ${first.name}`;
  return (
    <SidePanel label={title} onClose={onClose}>
      <form
        class="detail-section call-form"
        onSubmit={(event) => {
          event.preventDefault();
          void save(false);
        }}
      >
        {isNew && (
          <Labelled text="Name">
            <input spellcheck={false} value={form.name} onInput={(event) => setForm({ ...form, name: event.currentTarget.value })} />
          </Labelled>
        )}
        <TopicChooser
          chosen={form.topics.map(({ name }) => name)}
          onChange={(names) => setForm(withTopics(form, names))}
          patterns={false}
          none="Choose the topics that it keeps."
        />
        {form.topics.length > 0 && (
          <table class="record-topics">
            <thead>
              <tr>
                <th scope="col">Topic</th>
                <th scope="col">Samples</th>
                <th scope="col">Every n-th</th>
              </tr>
            </thead>
            <tbody>
              {form.topics.map(({ name, logSize, divisor }) => (
                <tr key={name}>
                  <td title={name}>{name}</td>
                  <td>
                    <input
                      type="number"
                      min="1"
                      max="100000000"
                      aria-label={`Samples kept of ${name}`}
                      value={logSize}
                      onInput={(event) => change(name, { logSize: event.currentTarget.value })}
                    />
                  </td>
                  <td>
                    <input
                      type="number"
                      min="1"
                      max="1000000"
                      aria-label={`Every n-th sample of ${name}`}
                      value={divisor}
                      onInput={(event) => change(name, { divisor: event.currentTarget.value })}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        <label class="check-row">
          <input type="checkbox" checked={form.onlyTs} onChange={(event) => setForm({ ...form, onlyTs: event.currentTarget.checked })} />
          Keep times only, without messages
        </label>
        <div class="publish-row">
          <Button needsManager enabled={canSave} forbidden={refusal} onClick={() => void save(false)}>
            Save
          </Button>
          <Button class="strong" needsManager enabled={canSave} forbidden={refusal} onClick={() => void save(true)}>
            Save and start
          </Button>
        </div>
        <p class="bad" role="status">
          {problem}
        </p>
      </form>
    </SidePanel>
  );
}
