import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import type { Service } from "../../../../../src/features/data-plane/wire/service.ts";
import { ListView } from "../../../ui/list/list-view.tsx";
import type { Column } from "../../../ui/list/table.tsx";
import { services } from "../data-store.ts";
import { interfaceName } from "./service-interface.ts";
import { ServicePanel } from "./service-panel.tsx";

/** Kept while other views are shown. */
const filter = signal("");

const COLUMNS: readonly Column<Service>[] = [
  { title: "Interface", value: (service) => interfaceName(service), cell: (service) => interfaceName(service) },
  { title: "Provider", isMedium: true, value: ({ provider }) => provider, cell: ({ provider }) => provider },
  { title: "Host", isWide: true, value: ({ provider_host }) => provider_host, cell: ({ provider_host }) => provider_host },
  {
    title: "Bus endpoint",
    isWide: true,
    cell: ({ port, unix_socket }) => unix_socket ?? (port === 0 ? "" : `port ${port}`),
  },
];

export function ServicesView() {
  const [selected, setSelected] = useState<string | null>(null);
  return (
    <ListView
      label="Services"
      items={services.value}
      textOf={(service) => [service.name, interfaceName(service), service.provider, service.provider_host]}
      filter={filter}
      keyOf={({ name }) => name}
      nameOf={({ name }) => name}
      nameTitle="Service"
      columns={COLUMNS}
      selected={selected}
      onSelect={setSelected}
      panelOf={(service, onClose) => <ServicePanel key={service.name} service={service} onClose={onClose} />}
      empty={<p>No services. A program provides one with mgr/client, mgr_client.py or as a NATS micro service.</p>}
    />
  );
}
