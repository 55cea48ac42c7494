import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import type { DaemonLogger } from "../../../../src/features/loggers/wire.ts";
import { refusalOf } from "../../state/access.ts";
import { Button } from "../../ui/button.tsx";
import { ListView } from "../../ui/list/list-view.tsx";
import type { Column } from "../../ui/list/table.tsx";
import { freeName } from "../recordings/public.ts";
import { LoggerFormPanel } from "./logger-form.tsx";
import { formOf, type LoggerForm, samplesOf, topicNames } from "./logger-form-values.ts";
import { LoggerPanel, LoggerState } from "./logger-panel.tsx";
import { loggers } from "./loggers-store.ts";

const filter = signal("");

const COLUMNS: readonly Column<DaemonLogger>[] = [
  { title: "State", value: ({ enabled }) => Number(enabled), cell: (logger) => <LoggerState logger={logger} /> },
  {
    title: "Samples",
    isNumber: true,
    value: samplesOf,
    cell: (logger) => samplesOf(logger).toLocaleString("en-US"),
  },
  {
    title: "Active topics",
    isNumber: true,
    value: ({ active_topics }) => active_topics.length,
    cell: (logger) => `${logger.active_topics.length} of ${topicNames(logger).length}`,
  },
  { title: "Topics", isWide: true, cell: (logger) => topicNames(logger).join(", ") },
];

/** The loggers, which keep the last samples of topics in the memory of the hosts. */
export function LoggersView() {
  const [selected, setSelected] = useState<string | null>(null);
  const [form, setForm] = useState<{ first: LoggerForm; isNew: boolean } | null>(null);
  const select = (name: string | null) => {
    setSelected(name);
    if (name !== null) setForm(null);
  };
  const refusal = refusalOf({ type: "configure_logger" });
  const open = () => setForm({ isNew: true, first: { name: freeName("logger", loggers.value), onlyTs: false, topics: [] } });
  return (
    <ListView
      label="Loggers"
      items={loggers.value}
      textOf={({ name, topics }) => [name, ...topics.map((topic) => topic.name)]}
      filter={filter}
      keyOf={({ name }) => name}
      nameOf={({ name }) => name}
      nameTitle="Logger"
      columns={COLUMNS}
      selected={selected}
      onSelect={select}
      tools={
        <Button pressed={form?.isNew === true} forbidden={refusal} onClick={() => (form?.isNew ? setForm(null) : open())}>
          New logger…
        </Button>
      }
      form={form && <LoggerFormPanel key={form.first.name} {...form} onSaved={select} onClose={() => setForm(null)} />}
      panelOf={(logger, onClose) => (
        <LoggerPanel
          key={logger.name}
          logger={logger}
          onConfigure={() => setForm({ isNew: false, first: formOf(logger) })}
          onClose={onClose}
        />
      )}
      empty={
        <>
          <p>No loggers. A logger keeps the last samples of topics in memory, to be downloaded when they are needed.</p>
          <Button class="strong" needsManager forbidden={refusal} onClick={open}>
            Make a logger
          </Button>
        </>
      }
    />
  );
}
