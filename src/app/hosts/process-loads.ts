import type { z } from "zod";
import type { Clock } from "../../base/clock.ts";
import { jsonOf } from "../../bus/client/rpc-envelope.ts";
import { loadPage } from "../../contract/tasks.ts";
import type { ProcessLoad } from "../../protocol/resources/resources.ts";
import type { HostSession } from "./host-session.ts";

/** Requests within this time share a sample: shorter intervals would show the kernel's ticks of 10 ms rather than the load, milliseconds. */
const SHARED_MS = 500;
/** An older sample is not used as a base, milliseconds. */
const MAX_INTERVAL_MS = 60_000;

interface ProcessLoadsOptions {
  clock: Clock;
  table: Iterable<[string, { controller: { session: HostSession } }]>;
}

type Row = z.infer<typeof loadPage>[number];

interface Sample {
  /** Milliseconds of the host's monotonic clock. */
  time: number;
  rows: Map<string, Row>;
}

/** CPU and memory of the trees of all processes. Sampled on request only. */
export class ProcessLoads {
  readonly #options: ProcessLoadsOptions;
  /** The newest sample of each host. */
  readonly #samples = new Map<string, Sample>();
  #latest: { at: number; loads: Promise<ProcessLoad[]> } | null = null;

  constructor(options: ProcessLoadsOptions) {
    this.#options = options;
  }

  /** Hosts that cannot be asked are left out, and so are processes that do not run. */
  now(): Promise<ProcessLoad[]> {
    const at = this.#options.clock.monotonic();
    if (this.#latest === null || at - this.#latest.at >= SHARED_MS) this.#latest = { at, loads: this.#take() };
    return this.#latest.loads;
  }

  async #take(): Promise<ProcessLoad[]> {
    const sessions = [...this.#options.table].flatMap(([, { controller }]) => (controller.session.isOpen ? controller.session : []));
    const hosts = new Set(sessions.map(({ link }) => link.host));
    for (const host of this.#samples.keys()) if (!hosts.has(host)) this.#samples.delete(host);
    const loads = await Promise.allSettled(sessions.map((session) => this.#ofHost(session)));
    return loads.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : []));
  }

  async #ofHost(session: HostSession): Promise<ProcessLoad[]> {
    const { link } = session;
    const { list, pages, time } = await session.command((id) => link.request("loads", { session: id }));
    const rows = new Map<string, Row>();
    for (let page = 0; page < pages; page++) {
      const { data } = await session.command((id) => link.request("task_page", { session: id, list, page }));
      for (const row of loadPage.parse(jsonOf(data))) rows.set(row[0], row);
    }
    const known = this.#samples.get(link.host);
    const base = known !== undefined && time > known.time && time - known.time <= MAX_INTERVAL_MS ? known : undefined;
    this.#samples.set(link.host, { time, rows });
    return [...rows.values()].map((row) => toLoad(row, time, base));
  }
}

/** CPU since `base`; of a run that began later, over its life so far. */
function toLoad([name, cpuMs, memory_rss, processes, ageMs]: Row, time: number, base: Sample | undefined): ProcessLoad {
  const before = base?.rows.get(name);
  const isSame = base !== undefined && before !== undefined && before[4] < ageMs && before[1] <= cpuMs;
  const [used, interval] = isSame ? [cpuMs - before[1], time - base.time] : [cpuMs, ageMs];
  return { name, cpu_percent: interval > 0 ? Math.round((10_000 * used) / interval) / 100 : 0, memory_rss, processes };
}
