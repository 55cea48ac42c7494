import type { z } from "zod";
import type { Clock } from "../../base/timing/clock.ts";
import { loadPage, type machineCpu } from "../../contract/loads.ts";
import type { HostLoad, ProcessLoad } from "../../protocol/resources/resources.ts";
import type { HostSession } from "./host-session.ts";
import { readList } from "./list-reader.ts";

/** Requests within this time share a sample: shorter intervals would show the kernel's ticks of 10 ms rather than the load, milliseconds. */
const SHARED_MS = 500;
/** Maximum age of a sample that is used as a base, milliseconds. */
const MAX_INTERVAL_MS = 60_000;

interface ProcessLoadsOptions {
  clock: Clock;
  table: Iterable<[string, { controller: { session: HostSession } }]>;
}

type Row = z.infer<typeof loadPage>[number];
type Machine = z.infer<typeof machineCpu>;

interface Sample {
  /** Milliseconds of the host's monotonic clock. */
  time: number;
  rows: Map<string, Row>;
  machine: Machine | undefined;
}

/** Loads of processes and machines, on all hosts. */
export interface Loads {
  readonly loads: ProcessLoad[];
  readonly hosts: HostLoad[];
}

/** CPU and memory of the trees of all processes, and CPU of the machines. Sampled on request only. */
export class ProcessLoads {
  readonly #options: ProcessLoadsOptions;
  /** The newest sample of each host. */
  readonly #samples = new Map<string, Sample>();
  #latest: { at: number; loads: Promise<Loads> } | null = null;

  constructor(options: ProcessLoadsOptions) {
    this.#options = options;
  }

  /** Omits hosts that cannot be reached, and processes that do not run. */
  now(): Promise<Loads> {
    const at = this.#options.clock.monotonic();
    if (this.#latest === null || at - this.#latest.at >= SHARED_MS) this.#latest = { at, loads: this.#request() };
    return this.#latest.loads;
  }

  async #request(): Promise<Loads> {
    const sessions = [...this.#options.table].flatMap(([, { controller }]) => (controller.session.isOpen ? controller.session : []));
    const hosts = new Set(sessions.map(({ link }) => link.host));
    for (const host of this.#samples.keys()) if (!hosts.has(host)) this.#samples.delete(host);
    const outcomes = await Promise.allSettled(sessions.map((session) => this.#ofHost(session)));
    const sampled = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : []));
    return { loads: sampled.flatMap(({ loads }) => loads), hosts: sampled.flatMap(({ hosts }) => hosts) };
  }

  async #ofHost(session: HostSession): Promise<Loads> {
    const { link } = session;
    const answer = await session.command((id) => link.request("loads", { session: id }));
    const { time, machine } = answer;
    const rows = new Map((await readList(session, answer, loadPage)).map((row) => [row[0], row]));
    const known = this.#samples.get(link.host);
    const base = known !== undefined && time > known.time && time - known.time <= MAX_INTERVAL_MS ? known : undefined;
    this.#samples.set(link.host, { time, rows, machine });
    return {
      loads: [...rows.values()].map((row) => toLoad(row, time, base)),
      hosts: machine && base?.machine ? [hostLoad(link.host, { ...machine, time }, { ...base.machine, time: base.time })] : [],
    };
  }
}

/** CPU since `base`; for a run that began later, since its start. */
function toLoad([name, cpuMs, memory_rss, processes, ageMs]: Row, time: number, base: Sample | undefined): ProcessLoad {
  const before = base?.rows.get(name);
  const isSame = base !== undefined && before !== undefined && before[4] < ageMs && before[1] <= cpuMs;
  const [used, interval] = isSame ? [cpuMs - before[1], time - base.time] : [cpuMs, ageMs];
  return { name, cpu_percent: interval > 0 ? Math.round((10_000 * used) / interval) / 100 : 0, memory_rss, processes };
}

/** `time`: as in `Sample`. */
function hostLoad(host: string, now: Machine & { time: number }, before: Machine & { time: number }): HostLoad {
  const percent = (100 * (now.busy_ms - before.busy_ms)) / ((now.time - before.time) * now.cpus);
  // The kernel counts in ticks, and not at the same moment as the clock.
  return { host, cpu_percent: Math.min(100, Math.max(0, Math.round(100 * percent) / 100)), cpus: now.cpus };
}
