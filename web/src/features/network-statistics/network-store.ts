import { computed, effect, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { messageOf } from "../../../../src/base/errors.ts";
import type { NetworkStats, NetworkTopology } from "../../../../src/features/network-statistics/wire.ts";
import { drawnWithNextFrame } from "../../state/painting.ts";
import { kept } from "../../state/settings.ts";
import { client, connection, hosts } from "../../state/store.ts";
import { NetworkPoll } from "./network-poll.ts";
import { TrafficHistory } from "./traffic-history.ts";
import type { TrafficFilter } from "./traffic-rows.ts";
import { LINK_KINDS, type LinkKind } from "./traffic-words.ts";

/** The newest measurement; null: none yet. */
export const stats = signal<NetworkStats | null>(null);
export const topology = signal<NetworkTopology | null>(null);
/** The reason why there is no newer measurement. */
export const problem = signal<string | null>(null);
/** Arrival of the newest measurement, ms since 1970. */
export const measuredAt = signal(0);
export const history = new TrafficHistory();

/** Length of a measurement, seconds; 0: paused. */
export const PACES = [1, 2, 5, 0] as const;
export const pace = kept<number>("networkPace", 2, (value) => PACES.find((one) => one === value) ?? null);
export const hiddenKinds = kept<readonly LinkKind[]>("networkHiddenKinds", [], (value) =>
  Array.isArray(value) ? LINK_KINDS.filter((kind) => value.includes(kind)) : null,
);
export const hiddenRows = kept<readonly string[]>("networkHiddenRows", [], (value) =>
  Array.isArray(value) ? value.filter((key) => typeof key === "string") : null,
);
/** Groups of the graph that the user has opened or folded. */
export const graphFolds = kept<Readonly<Record<string, boolean>>>("networkFolds", {}, (value) =>
  typeof value === "object" && value !== null ? (value as Record<string, boolean>) : null,
);

export const filterText = signal("");
/** The host whose traffic is shown; null: all. */
export const pickedHost = signal<string | null>(null);
export const filter = computed<TrafficFilter>(() => ({
  text: filterText.value,
  host: pickedHost.value,
  hiddenKinds: hiddenKinds.value,
  hiddenRows: hiddenRows.value,
}));
/** The host whose TCP connections are shown. */
export const connectionsOf = signal<string | null>(null);

/** Hosts that the manager knows, and those that were measured. */
export const hostNames = computed(() => [
  ...new Set([...hosts.value.map(({ name }) => name), ...(stats.value?.interfaces ?? []).map(({ host }) => host)]),
]);

/** Seconds since each lost host was last heard from. */
export const lostAges = computed(() => {
  const found = new Map<string, number>();
  for (const { host, age } of stats.value?.udp ?? []) if (age > 0) found.set(host, age);
  return found;
});

/** Maximum wait for an answer, ms: a measurement, and the delay of a busy manager. */
const TIMEOUT_MS = 30_000;

const viewers = signal(0);
const isVisible = signal(!document.hidden);
document.addEventListener("visibilitychange", () => {
  isVisible.value = !document.hidden;
});

const poll = new NetworkPoll<NetworkStats>({
  ask: async (seconds) =>
    (await client.request({ type: "request_network_stats", sample_seconds: seconds, sample_mode: "interval" }, { timeout: TIMEOUT_MS }))
      .stats,
  onAnswer: (answer) =>
    drawnWithNextFrame(() => {
      history.add(answer);
      measuredAt.value = Date.now();
      problem.value = null;
      stats.value = answer;
      learnTopology(answer);
    }),
  fail: (error) =>
    drawnWithNextFrame(() => {
      problem.value = messageOf(error);
    }),
  now: () => performance.now(),
  setTimeout: (run, milliseconds) => setTimeout(run, milliseconds),
  clearTimeout: (timer) => clearTimeout(timer as number),
});
effect(() => poll.update(viewers.value > 0 && isVisible.value && connection.value.kind === "open" ? pace.value : 0));

/** Key of the interfaces for which the topology was requested: it changes with them. */
let topologyOf = "";
function learnTopology({ interfaces }: NetworkStats): void {
  const ports = interfaces.map((port) => [port.host, port.interface, port.network, port.up].join(" ")).join("\n");
  if (ports === topologyOf && topology.peek() !== null) return;
  topologyOf = ports;
  client.request({ type: "request_network_topology" }).then(
    ({ topology: answer }) =>
      drawnWithNextFrame(() => {
        topology.value = answer;
      }),
    (error: unknown) => {
      topologyOf = "";
      problem.value = messageOf(error);
    },
  );
}

/** Measures while the component is shown, the page is visible, and the user has not paused it. */
export function useNetwork(): void {
  useEffect(() => {
    viewers.value = viewers.peek() + 1;
    return () => {
      viewers.value = viewers.peek() - 1;
    };
  }, []);
}

/** Maximum number of hidden rows that the user's browser remembers. */
const MAX_HIDDEN = 500;

export function hideRow(key: string): void {
  hiddenRows.value = [...hiddenRows.value, key].slice(-MAX_HIDDEN);
}

export function showConnections(host: string): void {
  connectionsOf.value = host;
}

/** Removes all filters and shows all hidden rows. */
export function showAllTraffic(): void {
  filterText.value = "";
  pickedHost.value = null;
  hiddenKinds.value = [];
  hiddenRows.value = [];
}
