import { byteRate, countRate, speedText } from "../../../../src/client/shown/units.ts";
import type { NetworkInterface, NetworkStats } from "../../../../src/features/network-statistics/wire.ts";
import { Sparkline } from "../../ui/list/sparkline.tsx";
import { BothRates } from "./both-rates.tsx";
import { filter, hideRow, history, pickedHost } from "./network-store.ts";
import { NoMatches } from "./no-matches.tsx";
import { portKey, portRows } from "./traffic-rows.ts";
import { type TrafficColumn, TrafficTable } from "./traffic-table.tsx";
import { percentText } from "./traffic-words.ts";

const BITS_PER_BYTE = 8;
const errorsOf = (port: NetworkInterface) => port.rx_errors_s + port.tx_errors_s;
const dropsOf = (port: NetworkInterface) => port.rx_drops_s + port.tx_drops_s;
/** Use of the busier direction, as a fraction of the speed; null if the speed is not known. */
const useOf = ({ speed_bits_s, rx_bytes_s, tx_bytes_s }: NetworkInterface) =>
  speed_bits_s === null ? null : (Math.max(rx_bytes_s, tx_bytes_s) * BITS_PER_BYTE) / speed_bits_s;

const COLUMNS: readonly TrafficColumn<NetworkInterface>[] = [
  {
    title: "Received",
    and: "sent",
    isNumber: true,
    value: ({ rx_bytes_s }) => rx_bytes_s,
    cell: ({ rx_bytes_s, tx_bytes_s }) => <BothRates first={rx_bytes_s} second={tx_bytes_s} />,
  },
  { title: "Sent", isNumber: true, isWide: true, value: ({ tx_bytes_s }) => tx_bytes_s, cell: ({ tx_bytes_s }) => byteRate(tx_bytes_s) },
  {
    title: "Traffic",
    isLine: true,
    cell: (port) => <Sparkline values={history.of(portKey(port))} label={`Traffic of ${port.interface} of ${port.host}`} />,
  },
  {
    title: "Used",
    isNumber: true,
    isWide: true,
    value: (port) => useOf(port) ?? -1,
    cell: (port) => {
      const part = useOf(port);
      return part === null ? "" : percentText(part);
    },
  },
  { title: "Speed", isNumber: true, isWide: true, value: (port) => port.speed_bits_s ?? 0, cell: (port) => speedText(port.speed_bits_s) },
  { title: "Errors/s", isNumber: true, isWide: true, value: errorsOf, cell: (port) => <Loss count={errorsOf(port)} /> },
  { title: "Drops/s", isNumber: true, isWide: true, value: dropsOf, cell: (port) => <Loss count={dropsOf(port)} /> },
  { title: "Network", isWide: true, value: ({ network }) => network ?? "", cell: ({ network }) => network },
];

function Loss({ count }: { count: number }) {
  return <span class={count > 0 ? "warn" : "soft"}>{countRate(count)}</span>;
}

/** The kernels' counters of each interface. */
export function InterfacesTable({ stats: { interfaces } }: { stats: NetworkStats }) {
  return (
    <TrafficTable
      label="Interfaces"
      items={portRows(interfaces, filter.value)}
      keyOf={portKey}
      nameTitle="Host and interface"
      nameOf={(port) => (
        <span class="names">
          <span class="whole">{portKey(port)}</span>
          {!port.up && <span class="tag">down</span>}
        </span>
      )}
      classOf={(port) => (errorsOf(port) + dropsOf(port) > 0 ? "in-trouble" : "")}
      columns={COLUMNS}
      view={JSON.stringify(filter.value)}
      onPick={({ host }) => {
        pickedHost.value = pickedHost.value === host ? null : host;
      }}
      isPicked={({ host }) => host === pickedHost.value}
      onHide={(port) => hideRow(portKey(port))}
      empty={
        interfaces.length > 0 ? (
          <NoMatches />
        ) : (
          <p>No interfaces were measured. Check that the daemons of the hosts run and are of this version of mgr.</p>
        )
      }
    />
  );
}
