import { signal } from "@preact/signals";
import { byteRate, countRate } from "../../../../src/client/shown/units.ts";
import type { NetworkLink, NetworkStats } from "../../../../src/features/network-statistics/wire.ts";
import { Sparkline } from "../../ui/list/sparkline.tsx";
import { BothRates } from "./both-rates.tsx";
import { filter, hideRow, history, hostNames } from "./network-store.ts";
import { NoMatches } from "./no-matches.tsx";
import { type LinkRow, linkRows, missingPart } from "./traffic-rows.ts";
import { type TrafficColumn, TrafficTable } from "./traffic-table.tsx";
import { KIND_WORDS, percentText } from "./traffic-words.ts";

/** Links that the user has opened. */
const opened = signal<ReadonlySet<string>>(new Set());

type Child = NetworkLink["children"][number];
type Row = LinkRow | Child;

const valuesOf = (row: Row) => ("link" in row ? row.link : row);
/** Minimum fraction of missing messages that is shown; less may still be on the way. */
const MIN_MISSING = 0.01;

const COLUMNS: readonly TrafficColumn<Row>[] = [
  {
    title: "Sent",
    and: "received",
    isNumber: true,
    value: (row) => valuesOf(row).bytes_s,
    cell: (row) => <BothRates first={valuesOf(row).bytes_s} second={valuesOf(row).measured_bytes_s} />,
  },
  {
    title: "Received",
    isNumber: true,
    isWide: true,
    value: (row) => valuesOf(row).measured_bytes_s,
    cell: (row) => byteRate(valuesOf(row).measured_bytes_s),
  },
  {
    title: "Packets/s",
    isNumber: true,
    isWide: true,
    value: (row) => valuesOf(row).packets_s,
    cell: (row) => countRate(valuesOf(row).packets_s),
  },
  {
    title: "Missing",
    isNumber: true,
    isWide: true,
    value: (row) => missingPart(valuesOf(row)),
    cell: (row) => (missingPart(valuesOf(row)) >= MIN_MISSING ? percentText(missingPart(valuesOf(row))) : ""),
  },
  {
    title: "Traffic",
    isLine: true,
    cell: (row) =>
      "link" in row ? <Sparkline values={history.of(row.key)} label={`Traffic from ${row.link.from_host} to ${row.link.to_host}`} /> : "",
  },
];

export function LinksTable({ stats }: { stats: NetworkStats }) {
  const rows = linkRows(stats, filter.value);
  const isOpen = ({ key, isFound }: LinkRow) => opened.value.has(key) !== isFound;
  return (
    <TrafficTable<LinkRow, Child>
      label="Links"
      tableClass="of-links"
      items={rows}
      keyOf={({ key }) => key}
      nameTitle="From → to"
      nameOf={({ key }) => (
        <span class="names">
          <span class="whole">{key}</span>
        </span>
      )}
      classOf={({ problems }) => (problems.length > 0 ? "in-trouble" : "")}
      columns={COLUMNS}
      first="Sent"
      view={JSON.stringify(filter.value)}
      parts={{
        of: ({ link: { children } }) =>
          children.map((item) => ({
            key: `${item.kind} ${item.name}`,
            item,
            name: (
              <>
                <span class="kind">{KIND_WORDS[item.kind][0]}</span> <span class="part-name">{item.name}</span>
              </>
            ),
          })),
        isOpen,
        toggle: (row) => {
          const next = new Set(opened.value);
          if (!next.delete(row.key)) next.add(row.key);
          opened.value = next;
        },
      }}
      onHide={({ key }) => hideRow(key)}
      empty={stats.links.length > 0 ? <NoMatches /> : <NoLinks />}
    />
  );
}

function NoLinks() {
  return (
    <p>
      No traffic between hosts. It appears when a program publishes a topic that another host subscribes to, calls a service of another
      host, or uses a TCP forward.{" "}
      {hostNames.value.length < 2 && "Only this machine is configured: add others under “hosts” in the configuration."}
    </p>
  );
}
