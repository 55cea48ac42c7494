import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { bytesText } from "../../../../src/client/shown/units.ts";
import type { Incident } from "../../../../src/features/flight/wire.ts";
import { refusalOf } from "../../state/access.ts";
import { show } from "../../state/navigation.ts";
import { Button } from "../../ui/button.tsx";
import { Labelled } from "../../ui/labelled.tsx";
import { ListView } from "../../ui/list/list-view.tsx";
import { SidePanel } from "../../ui/list/side-panel.tsx";
import type { Column } from "../../ui/list/table.tsx";
import { clockTime } from "../../ui/time.ts";
import { keepSnapshot } from "./incident-actions.ts";
import { causeText, STATE_WORDS } from "./incident-text.ts";
import { incidents, isEnabled } from "./incidents-store.ts";

const filter = signal("");

const COLUMNS: readonly Column<Incident>[] = [
  { title: "Time", value: ({ time }) => time, cell: ({ time }) => <span class="incident-time">{clockTime(time)}</span> },
  {
    title: "State",
    isMedium: true,
    value: ({ state }) => state,
    cell: (incident) => (
      <span class={incident.problem === null ? (incident.state === "complete" ? "soft" : "good") : "bad"} title={incident.problem ?? ""}>
        {incident.problem === null ? STATE_WORDS[incident.state] : "Failed"}
        {incident.is_pinned && ", pinned"}
      </span>
    ),
  },
  { title: "Hosts", isMedium: true, value: ({ hosts }) => hosts.length, cell: ({ hosts }) => hosts.map(({ host }) => host).join(", ") },
  {
    title: "Missing",
    isMedium: true,
    value: ({ missing }) => missing.length,
    cell: ({ missing }) => (
      <span class={missing.length === 0 ? "soft" : "warn"} title={missing.join("\n")}>
        {missing.length === 0 ? "nothing" : missing.length}
      </span>
    ),
  },
  { title: "Size", isNumber: true, isMedium: true, value: ({ size }) => size, cell: ({ size }) => bytesText(size) },
];

/** What the hosts recorded around crashes and other triggers, newest first. */
export function IncidentsView() {
  const [asks, setAsks] = useState(false);
  const refusal = refusalOf({ type: "keep_incident" }, "Keeping a snapshot");
  const known = incidents.value;
  const newestFirst = (known ?? []).toSorted((a, b) => (a.time < b.time ? 1 : -1));
  const snapshotButton = (
    <Button pressed={asks} needsManager enabled={isEnabled.value} forbidden={refusal} onClick={() => setAsks(!asks)}>
      Snapshot…
    </Button>
  );
  return (
    <section class="data incidents" aria-label="Incidents">
      <ListView
        label="Incidents"
        items={newestFirst}
        textOf={(incident) => [causeText(incident), incident.id, ...incident.hosts.map(({ host }) => host)]}
        filter={filter}
        keyOf={({ id }) => id}
        nameOf={causeText}
        nameTitle="Cause"
        columns={COLUMNS}
        selected={null}
        onSelect={(id) => id !== null && show({ kind: "incident", id })}
        tools={snapshotButton}
        form={asks && <SnapshotForm onClose={() => setAsks(false)} />}
        panelOf={() => null}
        empty={known === null ? "Loading …" : <Nothing />}
      />
    </section>
  );
}

function Nothing() {
  return isEnabled.value ? (
    <p>
      No incidents. When a process crashes, or another trigger fires, the last seconds of all hosts are kept here: topics, terminals, states
      and the log.
    </p>
  ) : (
    <p>
      The flight recorder is off. The key <code>flight</code> of the configuration turns it on.
    </p>
  );
}

function SnapshotForm({ onClose }: { onClose: () => void }) {
  const [note, setNote] = useState("");
  const keep = () => {
    onClose();
    void keepSnapshot(note.trim());
  };
  return (
    <SidePanel label="Keep a snapshot" onClose={onClose}>
      <form
        class="detail-section call-form"
        onSubmit={(event) => {
          event.preventDefault();
          keep();
        }}
      >
        <p class="soft">Keeps the last 30 seconds of all hosts: topics, terminals, states and the log.</p>
        <Labelled text="Note: what you saw">
          <textarea rows={3} maxLength={1_024} value={note} onInput={(event) => setNote(event.currentTarget.value)} />
        </Labelled>
        <Button class="strong" needsManager forbidden={refusalOf({ type: "keep_incident" }, "Keeping a snapshot")} onClick={keep}>
          Keep
        </Button>
      </form>
    </SidePanel>
  );
}
