import { MgrError } from "../../../src/base/errors.ts";
import { loadHistoryExtension } from "../../../src/features/load-history/manager/index.ts";
import type { Events, LoadHistory, Memory } from "../../../src/features/load-history/manager/load-history.ts";
import type { LoadSample } from "../../../src/features/load-history/manager/load-watches.ts";
import type { LoadFigures, ProcessLoadHistory } from "../../../src/features/load-history/wire.ts";

export const LOAD: LoadFigures = {
  cpu_percent: 31.5,
  memory: 48 * 2 ** 20,
  threads: 4,
  descriptors: 12,
  read_bytes_s: 0,
  written_bytes_s: 4_096,
  context_switches_s: 17.25,
  major_faults_s: null,
};

export const HISTORY: ProcessLoadHistory = {
  name: "sim/world",
  host: "testhost",
  start: "2026-11-21T08:14:00.000",
  step: 10,
  resolution: 10,
  oldest: "2026-11-21T08:00:00.000",
  series: {
    cpu_percent: { min: [1, null, 3], mean: [2, null, 4], max: [3, null, 8] },
    memory: { min: [1_048_576, null, 2_097_152], mean: [1_048_576, null, 2_097_152], max: [1_048_576, null, 3_145_728] },
  },
};

const EVENT: Events["events"][number] = {
  ts: "2026-11-21T08:14:03.000",
  kind: "crash",
  name: "sim/world",
  text: "process 'sim/world' changes state from 'started' to 'error': exit code 3",
  change: { from: "started", to: "error", by: null, reason: "exit code 3" },
};

/** A history of one process; samples come when the test says so. */
export class FakeLoadHistory implements LoadHistory {
  readonly extension = loadHistoryExtension(this);
  readonly watched = new Map<string, Set<(sample: LoadSample) => void>>();
  history = async () => ({ processes: [HISTORY], away: ["gone"] });
  hostHistory = async () => ({ ...HISTORY, host: "testhost" });
  newest = async () => ({ processes: [{ name: "sim/world", host: "testhost", ts: HISTORY.start, load: LOAD }], away: [] });

  events = (): Events => ({ events: [EVENT], left_out: 0, oldest: HISTORY.start });
  memory = async (): Promise<Memory> => ({
    ...{ host: "testhost", ts: HISTORY.start, pss: 40 * 2 ** 20, private: 30 * 2 ** 20, swap: 0, processes: 2, unknown: 0 },
  });

  watch(name: string, sampled: (sample: LoadSample) => void): () => void {
    if (name === "unknown") throw new MgrError("not_found", "there is no process or group 'unknown'");
    const listeners = this.watched.get(name) ?? new Set();
    this.watched.set(name, listeners.add(sampled));
    return () => {
      listeners.delete(sampled);
      if (listeners.size === 0) this.watched.delete(name);
    };
  }

  sample(name: string, load: LoadFigures = LOAD): void {
    const sample: LoadSample = { type: "load_sample", name, host: "testhost", ts: HISTORY.start, load };
    for (const listeners of this.watched.values()) for (const listener of listeners) listener(sample);
  }
}
