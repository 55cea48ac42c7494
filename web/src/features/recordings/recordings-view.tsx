import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { bytesText, spanText } from "../../../../src/client/shown/units.ts";
import { recordedSpan } from "../../../../src/features/recordings/client/recorded-span.ts";
import type { Recording } from "../../../../src/features/recordings/wire.ts";
import { refusalOf } from "../../state/access.ts";
import { Button } from "../../ui/button.tsx";
import { ListView } from "../../ui/list/list-view.tsx";
import type { Column } from "../../ui/list/table.tsx";
import { RecordingFormPanel } from "./recording-form.tsx";
import { RecordingPanel, StateText } from "./recording-panel.tsx";
import { EMPTY_FORM, lostText, type RecordingForm } from "./recording-request.ts";
import { recordings } from "./recordings-store.ts";
import { freeName } from "./topic-choice.ts";

const filter = signal("");

const COLUMNS: readonly Column<Recording>[] = [
  { title: "State", value: ({ state }) => state, cell: (recording) => <StateText recording={recording} /> },
  { title: "Size", isNumber: true, value: ({ size }) => size, cell: ({ size }) => bytesText(size) },
  {
    title: "Duration",
    isNumber: true,
    isWide: true,
    value: ({ files }) => recordedSpan(files) ?? 0,
    cell: ({ files }) => spanText(recordedSpan(files) ?? 0),
  },
  {
    title: "Messages",
    isNumber: true,
    isWide: true,
    value: ({ messages }) => messages,
    cell: ({ messages }) => messages.toLocaleString("en-US"),
  },
  {
    title: "Lost",
    isNumber: true,
    value: ({ missed, dropped }) => missed + dropped,
    cell: (one) => <span class={one.missed + one.dropped > 0 ? "bad" : "soft"}>{lostText(one)}</span>,
  },
  { title: "Files", isNumber: true, isWide: true, value: ({ files }) => files.length, cell: ({ files }) => files.length },
  { title: "Topics", isWide: true, value: ({ patterns }) => patterns.join(" "), cell: ({ patterns }) => patternsText(patterns) },
];

/** The recordings to disk, running and ended. */
export function RecordingsView() {
  const [selected, setSelected] = useState<string | null>(null);
  const [form, setForm] = useState<RecordingForm | null>(null);
  const select = (name: string | null) => {
    setSelected(name);
    if (name !== null) setForm(null);
  };
  const refusal = refusalOf({ type: "start_recording" }, "Recording");
  const open = () => setForm({ ...EMPTY_FORM, name: freeName("run", recordings.value) });
  return (
    <ListView
      label="Recordings"
      items={recordings.value}
      textOf={({ name, patterns, hosts }) => [name, ...patterns, ...hosts]}
      filter={filter}
      keyOf={({ name }) => name}
      nameOf={({ name }) => name}
      nameTitle="Recording"
      columns={COLUMNS}
      selected={selected}
      onSelect={select}
      tools={
        <Button pressed={form !== null} forbidden={refusal} onClick={() => (form === null ? open() : setForm(null))}>
          Record…
        </Button>
      }
      form={form && <RecordingFormPanel key={form.name} first={form} onStarted={select} onClose={() => setForm(null)} />}
      panelOf={(recording, onClose) => (
        <RecordingPanel
          key={recording.name}
          recording={recording}
          onAgain={() => setForm({ ...EMPTY_FORM, name: recording.name, topics: recording.patterns })}
          onClose={onClose}
        />
      )}
      empty={
        <>
          <p>No recordings. A recording writes topics to MCAP files on the hosts of their publishers, until it is stopped.</p>
          <Button class="strong" needsManager forbidden={refusal} onClick={open}>
            Start a recording
          </Button>
        </>
      }
    />
  );
}

const MAX_SHOWN_PATTERNS = 3;

function patternsText(patterns: readonly string[]): string {
  if (patterns.length === 1 && patterns[0] === "*") return "all";
  const more = patterns.length - MAX_SHOWN_PATTERNS;
  return patterns.slice(0, MAX_SHOWN_PATTERNS).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
