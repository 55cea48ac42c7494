// The broker of a host with its registry, as the daemon runs it, on a TCP port where a program's token is its name. Tells how long its event loop
// stood still at most since the last question. `node --import tsx host-broker.ts [LIMITS AS JSON]`, with `memory` for the bytes of its memory and `hub`
// for the port of another one, to which it links as a leaf.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createBroker } from "../../src/bus/broker/broker.ts";
import { HubConnection } from "../../src/bus/broker/leaf/hub-connection.ts";
import { permissionsOf } from "../../src/bus/broker/permissions.ts";
import { defaultMemoryBytes, MemoryBudget } from "../../src/bus/broker/queues/memory-budget.ts";
import { tuneSockets } from "../../src/bus/carriers/socket-tuning.ts";
import { hubDial } from "../../src/bus/client/hub-dial.ts";
import { Registry } from "../../src/bus/registry/registry.ts";
import { limitUnsent, unsentBytes } from "../../src/daemon/native/socket-options.ts";
import { FEATURE_CHECKS } from "../../src/features/contract.ts";

/** Ping interval of the daemon, and period of the timer that is watched, milliseconds. */
const [PING_MS, PERIOD_MS] = [2_000, 5];

export interface HostBrokerState {
  readonly port: number;
  readonly pid: number;
  /** The longest that the event loop was late, milliseconds. */
  readonly gap: number;
  /** The same in processor time of this process: what it waits for a core is not its own fault. */
  readonly cpuGap: number;
  /** Log entries so far: all, and errors. */
  readonly logged: number;
  readonly errors: readonly string[];
  readonly clients: number;
  readonly subscriptions: number;
  readonly memoryUsed: number;
  /** Only if asked for with `gc`. */
  readonly heap: number;
}

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc") as () => void;

/** Token of a host that links to this broker. */
const HOST = "host-";

const { memory: memoryBytes = defaultMemoryBytes(), hub, ...limits } = JSON.parse(process.argv[2] ?? "{}") as Record<string, number>;
const errors: string[] = [];
let logged = 0;
const log = (level: string, msg: string) => {
  logged++;
  if (level === "error") errors.push(msg);
};
tuneSockets({ limitUnsent, unsentBytes });
let port = 0;
const place = () => ({ port, unix_socket: null });
const hooks = new Registry({ host: "bench", server: "leaf", place, log, ...FEATURE_CHECKS });
const memory = new MemoryBudget(log, memoryBytes);
const broker = createBroker({ pingIntervalMs: PING_MS, ...limits, name: "bench", log, hooks, memory });
const authenticate = ({ token }: { token: string | null }) => {
  const name = token ?? "";
  if (name.startsWith(HOST)) return permissionsOf({ kind: "host", name: name.slice(HOST.length) });
  return permissionsOf({ kind: "client", name, run_id: `run-${name}`, process: name });
};
port = await broker.listenTcp({ host: "127.0.0.1", port: 0, authenticate });
if (hub !== undefined) {
  const dial = hubDial({ server: { kind: "url", urls: [`nats://${HOST}${process.pid}@127.0.0.1:${hub}`] } });
  new HubConnection({ broker, name: `host ${process.pid}`, dial, log });
}

let [gap, cpuGap] = [0, 0];
let [at, cpu] = [performance.now(), process.cpuUsage()];
setInterval(() => {
  const { user, system } = process.cpuUsage(cpu);
  const now = performance.now();
  gap = Math.max(gap, now - at - PERIOD_MS);
  cpuGap = Math.max(cpuGap, (user + system) / 1_000 - PERIOD_MS);
  [at, cpu] = [now, process.cpuUsage()];
}, PERIOD_MS);

process.on("message", async ({ gc: isWanted }: { gc?: boolean }) => {
  let heap = 0;
  if (isWanted) {
    // Memory of buffers is freed in later turns.
    for (let times = 0; times < 3; times++) {
      gc();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    heap = heapUsed + arrayBuffers;
  }
  const { clients, subscriptions } = broker.stats();
  const counts = { clients: clients.length, subscriptions, memoryUsed: memory.used, logged, errors };
  process.send?.({ port, pid: process.pid, gap, cpuGap, heap, ...counts } satisfies HostBrokerState);
  [gap, cpuGap] = [0, 0];
  [at, cpu] = [performance.now(), process.cpuUsage()];
});
process.on("disconnect", () => process.exit());
process.send?.({});
