import { useEffect, useState } from "preact/hooks";
import { argumentsText, outcomeText, throughText } from "../../../../src/features/audit/entry-text.ts";
import type { AuditEntry } from "../../../../src/features/audit/wire.ts";
import { linkTo } from "../../state/navigation.ts";
import { frames$, hasProcess } from "../../state/store.ts";
import { Button } from "../../ui/button.tsx";
import { Pair, Section } from "../../ui/detail-section.tsx";
import { SidePanel } from "../../ui/list/side-panel.tsx";
import { type Column, DataTable } from "../../ui/list/table.tsx";
import { clockTime } from "../../ui/time.ts";
import { type AuditFilter, entries, filter, isLoading, load, next, problem, trouble } from "./audit-list.ts";

const COLUMNS: readonly Column<AuditEntry>[] = [
  { title: "User", value: ({ user }) => user, cell: ({ user }) => user },
  { title: "Command", value: ({ command }) => command, cell: ({ command }) => command },
  { title: "Name", value: ({ target }) => target ?? "", cell: ({ target }) => target ?? "" },
  { title: "Through", isMedium: true, value: throughText, cell: (entry) => throughText(entry) },
  { title: "Outcome", isMedium: true, value: ({ outcome }) => outcome, cell: (entry) => <Outcome entry={entry} /> },
  { title: "Arguments", isWide: true, cell: (entry) => <span class="soft audit-arguments">{argumentsText(entry)}</span> },
];

const PERIODS = [
  ["", "All times"],
  ["3600", "Last hour"],
  ["86400", "Last day"],
  ["604800", "Last 7 days"],
] as const;

/** Recorded commands, newest first, with filters that the manager applies. */
export function AuditView() {
  const [selected, setSelected] = useState<string | null>(null);
  useEffect(() => {
    void load();
    // After a reconnect there may be others.
    const frames = frames$.subscribe(({ type }) => {
      if (type === "snapshot") void load();
    });
    return () => frames.unsubscribe();
  }, []);
  const shown = entries.value.find(({ id }) => String(id) === selected);
  return (
    <section class="audit" aria-label="Audit">
      <Filters />
      <Troubles />
      <div class="data-body">
        <DataTable
          label="Recorded commands"
          items={entries.value}
          keyOf={({ id }) => String(id)}
          nameOf={({ time }) => clockTime(time)}
          nameTitle="Time"
          columns={COLUMNS}
          selected={selected}
          onSelect={setSelected}
          empty={isLoading.value ? "Loading …" : "No commands were recorded."}
        />
        {shown && <EntryPanel entry={shown} onClose={() => setSelected(null)} />}
      </div>
      <footer class="audit-more">
        <span class="soft" aria-live="polite">
          {entries.value.length} entries{next.value === null ? "" : ", and older ones"}
        </span>
        <Button needsManager enabled={next.value !== null && !isLoading.value} onClick={() => void load({ more: true })}>
          Load older
        </Button>
      </footer>
    </section>
  );
}

function Filters() {
  const set = (change: Partial<AuditFilter>) => {
    filter.value = { ...filter.value, ...change };
    void load();
  };
  return (
    <search class="data-filter audit-filters" aria-label="Filter the audit">
      {(
        [
          ["user", "User"],
          ["command", "Command, or *_process"],
          ["name", "Name, or sim/*"],
        ] as const
      ).map(([field, label]) => (
        <input
          key={field}
          type="search"
          aria-label={label}
          placeholder={label}
          value={filter.value[field]}
          onChange={(event) => set({ [field]: event.currentTarget.value.trim() })}
        />
      ))}
      <select aria-label="Period" value={filter.value.since} onChange={(event) => set({ since: event.currentTarget.value })}>
        {PERIODS.map(([seconds, word]) => (
          <option key={seconds} value={seconds}>
            {word}
          </option>
        ))}
      </select>
      <Button needsManager onClick={() => void load()}>
        Refresh
      </Button>
    </search>
  );
}

function Troubles() {
  const { problem: recording, unrecorded } = trouble.value;
  const texts = [
    ...(problem.value === null ? [] : [`The audit cannot be shown: ${problem.value}`]),
    ...(recording === null ? [] : [`Commands are not recorded now: ${recording}`]),
    ...(unrecorded === 0 ? [] : [`${unrecorded} records were lost since the start of the manager.`]),
  ];
  return texts.map((text) => (
    <p key={text} class="audit-trouble bad" role="alert">
      {text}
    </p>
  ));
}

function Outcome({ entry }: { entry: AuditEntry }) {
  return <span class={entry.outcome === "refused" ? "bad" : ""}>{entry.outcome}</span>;
}

function EntryPanel({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const { id, time, user, role, via, address, command, target, args } = entry;
  return (
    <SidePanel label={`Entry ${id}`} title={command} onClose={onClose}>
      <section class="detail-section">
        <dl class="pairs">
          <Pair term="Time">{clockTime(time)}</Pair>
          <Pair term="User">{user}</Pair>
          <Pair term="Role">{role ?? "none"}</Pair>
          <Pair term="From">{address ?? "this machine"}</Pair>
          <Pair term="Through">{`${throughText(entry)} (${via})`}</Pair>
          {target !== null && (
            <Pair term="Name">{hasProcess(target) ? <a {...linkTo({ kind: "process", name: target })}>{target}</a> : target}</Pair>
          )}
          <Pair term="Outcome">{outcomeText(entry)}</Pair>
          <Pair term="Number">{id}</Pair>
        </dl>
      </section>
      {Object.keys(args).length > 0 && (
        <Section title="Arguments">
          <dl class="pairs">
            {Object.entries(args).map(([name, value]) => (
              <Pair key={name} term={name}>
                {typeof value === "string" ? value : JSON.stringify(value)}
              </Pair>
            ))}
          </dl>
        </Section>
      )}
    </SidePanel>
  );
}
