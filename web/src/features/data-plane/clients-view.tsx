import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import type { Client } from "../../../../src/protocol/resources/resources.ts";
import { linkTo } from "../../state/navigation.ts";
import { hasProcess } from "../../state/store.ts";
import { ListView } from "../../ui/list/list-view.tsx";
import { SidePanel } from "../../ui/list/side-panel.tsx";
import type { Column } from "../../ui/list/table.tsx";
import { clients } from "./data-store.ts";

/** Kept while other views are shown. */
const filter = signal("");

const COLUMNS: readonly Column<Client>[] = [
  { title: "Process", value: ({ process_name }) => process_name, cell: ({ process_name }) => <ProcessLink name={process_name} /> },
  { title: "Host", value: ({ host }) => host, cell: ({ host }) => host },
  { title: "pid", isNumber: true, isWide: true, value: ({ pid }) => pid, cell: ({ pid }) => pid || "" },
  {
    title: "Publishes",
    isNumber: true,
    isMedium: true,
    value: (client) => client.published_topics.length,
    cell: (client) => client.published_topics.length,
  },
  {
    title: "Subscribes",
    isNumber: true,
    isMedium: true,
    value: (client) => client.subscribed_topics.length,
    cell: (client) => client.subscribed_topics.length,
  },
  {
    title: "Services",
    isNumber: true,
    isWide: true,
    value: (client) => client.provided_services.length,
    cell: (client) => client.provided_services.length,
  },
  { title: "Address", isWide: true, value: ({ address }) => address, cell: ({ address }) => address },
];

export function ClientsView() {
  const [selected, setSelected] = useState<string | null>(null);
  return (
    <ListView
      label="Clients"
      items={clients.value}
      textOf={({ name, process_name, host, address }) => [name, process_name, host, address]}
      filter={filter}
      keyOf={({ id }) => String(id)}
      nameOf={({ name, id }) => name || `client ${id}`}
      nameTitle="Client"
      columns={COLUMNS}
      selected={selected}
      onSelect={setSelected}
      panelOf={(client, onClose) => <ClientPanel client={client} onClose={onClose} />}
      empty={<p>No clients: no program is connected to the bus.</p>}
    />
  );
}

function ProcessLink({ name }: { name: string }) {
  if (name === "" || !hasProcess(name)) return <>{name}</>;
  return (
    <a class="member" {...linkTo({ kind: "process", name })}>
      {name}
    </a>
  );
}

function ClientPanel({ client, onClose }: { client: Client; onClose: () => void }) {
  const lists = [
    ["Publishes", client.published_topics],
    ["Subscribes to", client.subscribed_topics],
    ["Services", client.provided_services],
  ] as const;
  return (
    <SidePanel label={`Client ${client.name}`} title={client.name} onClose={onClose}>
      <section class="detail-section">
        <dl class="pairs">
          {Object.entries({
            Id: client.id,
            Host: client.host,
            Address: client.address,
            pid: client.pid || "not told",
            "Library version": client.library_version || "not told",
            Revision: client.svn_revision === 0 ? "not told" : `${client.svn_revision}${client.modified ? " (modified)" : ""}`,
            "Service debugging": client.svc_debug ? "on" : "off",
          }).map(([term, value]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </section>
      {lists.map(([title, names]) =>
        names.length === 0 ? null : (
          <section key={title} class="detail-section">
            <h2>{title}</h2>
            <ul>
              {names.map((name) => (
                <li key={name}>{name}</li>
              ))}
            </ul>
          </section>
        ),
      )}
    </SidePanel>
  );
}
