import { type Figures, HOST_SERIES, PROCESS_SERIES } from "../../load-history/series.ts";
import type { NetworkFigures } from "../../network-statistics/host/index.ts";
import { jsonEntry } from "../../recordings/host/index.ts";
import type { RingMessage } from "./ring/records.ts";

const FIGURE = { type: ["number", "null"] };

/** The JSON Schema of figures with these names, for viewers. */
function schemaOf(series: readonly string[], more: Record<string, object> = {}): string {
  const properties = { ...more, ...Object.fromEntries(series.map((each) => [each, FIGURE])) };
  return JSON.stringify({ type: "object", properties });
}

const LINK_SERIES = ["rtt_ms", "sent_bytes_s", "received_bytes_s", "retransmits_s"] as const;
const INTERFACE_SERIES = ["rx_bytes_s", "tx_bytes_s", "rx_errors_s", "tx_errors_s", "rx_drops_s", "tx_drops_s"] as const;
const PROCESS_LOAD = { definitionName: "mgr.ProcessLoad", definition: schemaOf(PROCESS_SERIES, { name: { type: "string" } }) };
const MACHINE_LOAD = { definitionName: "mgr.MachineLoad", definition: schemaOf(HOST_SERIES) };
const LINK = { definitionName: "mgr.LinkFigures", definition: schemaOf(LINK_SERIES) };
const INTERFACE = { definitionName: "mgr.InterfaceFigures", definition: schemaOf(INTERFACE_SERIES, { interface: { type: "string" } }) };

const named = (series: readonly string[], figures: Figures) =>
  Object.fromEntries(series.map((each, index) => [each, figures[index] ?? null]));

/** The message about the load of a process: `figures` in the order of PROCESS_SERIES. `time`: nanoseconds since 1970. */
export const processLoadEntry = (time: bigint, name: string, figures: Figures): RingMessage => ({
  ...jsonEntry("mgr/load", time, { name, ...named(PROCESS_SERIES, figures) }),
  ...PROCESS_LOAD,
});

/** The message about the load of the machine: `figures` in the order of HOST_SERIES; those of single CPUs are left out. */
export const machineLoadEntry = (time: bigint, figures: Figures): RingMessage => ({
  ...jsonEntry("mgr/machine", time, named(HOST_SERIES, figures)),
  ...MACHINE_LOAD,
});

/** The messages about the network: of the link to other machines, if there is one, and of each interface. */
export function networkEntries(time: bigint, { link, interfaces }: NetworkFigures): RingMessage[] {
  return [
    ...(link === null ? [] : [{ ...jsonEntry("mgr/link", time, link), ...LINK }]),
    ...interfaces.map((each) => ({ ...jsonEntry("mgr/interfaces", time, each), ...INTERFACE })),
  ];
}
