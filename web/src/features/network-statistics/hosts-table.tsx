import { byteRate, countRate, roundTripText } from "../../../../src/client/shown/units.ts";
import type { NetworkStats } from "../../../../src/features/network-statistics/wire.ts";
import { Button } from "../../ui/button.tsx";
import { filter, hostNames, pickedHost, showConnections } from "./network-store.ts";
import { NoMatches } from "./no-matches.tsx";
import { type HostRow, hostRows } from "./traffic-rows.ts";
import { type TrafficColumn, TrafficTable } from "./traffic-table.tsx";
import { ageText, percentText } from "./traffic-words.ts";

/** Fraction of retransmitted segments above which the manager reports a problem. */
const MAX_RETRANSMITS = 0.01;

const COLUMNS: readonly TrafficColumn<HostRow>[] = [
  { title: "Sent", isNumber: true, isWide: true, value: ({ sent }) => sent, cell: ({ sent }) => byteRate(sent) },
  { title: "Received", isNumber: true, isWide: true, value: ({ received }) => received, cell: ({ received }) => byteRate(received) },
  {
    title: "Round trip",
    isNumber: true,
    value: ({ rtt_ms }) => rtt_ms ?? -1,
    cell: ({ rtt_ms }) => roundTripText(rtt_ms),
  },
  {
    title: "Resent",
    isNumber: true,
    isWide: true,
    value: ({ retransmits }) => retransmits,
    cell: ({ retransmits }) => <span class={retransmits > MAX_RETRANSMITS ? "warn" : ""}>{percentText(retransmits)}</span>,
  },
  {
    title: "UDP lost/s",
    isNumber: true,
    isWide: true,
    value: ({ udpLost }) => udpLost,
    cell: ({ udpLost }) => <span class={udpLost > 0 ? "warn" : ""}>{countRate(udpLost)}</span>,
  },
  {
    title: "TCP",
    cell: ({ host }) => (
      <Button label={`TCP connections of ${host}`} onClick={() => showConnections(host)}>
        Connections
      </Button>
    ),
  },
];

/** A row for each host: its traffic, and its kernel's counters of TCP and UDP. */
export function HostsTable({ stats }: { stats: NetworkStats }) {
  const names = hostNames.value;
  return (
    <TrafficTable
      label="Hosts"
      items={hostRows(stats, names, filter.value)}
      keyOf={({ host }) => host}
      nameTitle="Host"
      nameOf={({ host, age }) => (
        <span class="names">
          <span class="whole">{host}</span>
          {age > 0 && <span class="age">{ageText(age)}</span>}
        </span>
      )}
      classOf={({ age }) => (age > 0 ? "old" : "")}
      columns={COLUMNS}
      view={JSON.stringify(filter.value)}
      onPick={({ host }) => {
        pickedHost.value = pickedHost.value === host ? null : host;
      }}
      isPicked={({ host }) => host === pickedHost.value}
      empty={<NoMatches />}
    />
  );
}
