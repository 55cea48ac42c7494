import { cpuMs, residentMib } from "../support/cpu.ts";
import { percentile, rounded, sleep } from "../support/figure.ts";
import { LiveProcesses } from "./live-processes.ts";
import type { Peer } from "./peer.ts";

/** What one run of one process manager gives: the rows of the table by their names, in the units of these names. */
export type Rows = Record<string, number>;

export interface Options {
  readonly count: number;
  /** Restarts and crashes of single processes; 0 leaves these rows out. */
  readonly singles: number;
  /** Seconds in which nothing happens; 0 leaves the idle row out. */
  readonly idleS: number;
}

/** After all are live, milliseconds: what a start leaves to do, such as the collection of its garbage, is neither idling nor part of a stop. */
const SETTLE_MS = 2_000;
const SETTLE_BEFORE_IDLE_MS = 20_000;
const STATUS_REQUESTS = 10;
/** A supervisor that restarts at most once a second has to be able to do so at once. */
const BETWEEN_SINGLES_MS = 30;

/** Runs it once, from the start of its programs until they have ended. */
export async function measure(prepare: (processes: LiveProcesses) => Peer | Promise<Peer>, options: Options): Promise<Rows> {
  const { count, singles, idleS } = options;
  using processes = new LiveProcesses(count);
  await using peer = await prepare(processes);
  const rows: Rows = {};
  const cpuBefore = cpu(peer);
  const begin = performance.now();
  const up = peer.up();
  await Promise.all([up, processes.untilAllLive()]);
  rows.up_s = seconds(begin);
  rows.up_cpu_s = rounded((cpu(peer) - cpuBefore) / 1_000);
  await sleep(idleS > 0 ? SETTLE_BEFORE_IDLE_MS : SETTLE_MS);
  if (idleS > 0) {
    const before = cpu(peer);
    await sleep(idleS * 1_000);
    rows.idle_percent = rounded((cpu(peer) - before) / idleS / 10);
    rows.resident_mib = Math.round(peer.programs().reduce((sum, pid) => sum + residentMib(pid), 0));
  }
  if (peer.status !== null) {
    const times: number[] = [];
    for (let index = 0; index < STATUS_REQUESTS; index++) times.push(await timed(peer.status));
    rows.status_ms = rounded(percentile(times, 0.5), 1);
  }
  if (singles > 0) {
    add(rows, "restart", await each(processes, singles, (number) => peer.restart(number)));
    add(rows, "crash", await each(processes, singles, async (number) => process.kill(processes.pid(number), "SIGKILL")));
  }
  const stopping = performance.now();
  await Promise.all([peer.stop(), processes.untilAllGone()]);
  rows.stop_s = seconds(stopping);
  return rows;
}

/** Milliseconds from `act` on one process until its next one says that it runs, each on another process. */
async function each(processes: LiveProcesses, times: number, act: (number: number) => Promise<unknown>): Promise<number[]> {
  const took: number[] = [];
  for (let round = 0; round < times; round++) {
    const number = (round * 7) % processes.count;
    const old = processes.pid(number);
    const begin = performance.now();
    await Promise.all([act(number), processes.untilNew(number, old)]);
    took.push(performance.now() - begin);
    await sleep(BETWEEN_SINGLES_MS);
  }
  return took;
}

function add(rows: Rows, name: string, times: readonly number[]): void {
  rows[`${name}_p50_ms`] = rounded(percentile(times, 0.5), 1);
  rows[`${name}_p99_ms`] = rounded(percentile(times, 0.99), 1);
}

async function timed(act: () => Promise<void>): Promise<number> {
  const begin = performance.now();
  await act();
  return performance.now() - begin;
}

function cpu(peer: Peer): number {
  return peer.programs().reduce((sum, pid) => sum + cpuMs(pid), 0);
}

function seconds(begin: number): number {
  return rounded((performance.now() - begin) / 1_000);
}
