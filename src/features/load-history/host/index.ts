import { ThrottledWarning } from "../../../base/throttled-warning.ts";
import type { HostFeature } from "../../../daemon/host-feature.ts";
import { type HistoryRow, type LOAD_HISTORY_REQUESTS, MAX_SAMPLE_ROWS } from "../contract.ts";
import { HOST_SERIES } from "../series.ts";
import { Answers } from "./answers.ts";
import { Histories } from "./histories.ts";
import { MachineFigures } from "./machine-figures.ts";
import { Measurements } from "./measurements.ts";
import { MemoryDetails } from "./memory-details.ts";
import { type PointRange, rounded } from "./rings/points.ts";
import { type SampledRun, Sampler } from "./sampler.ts";
import { Watches } from "./watches.ts";

/** The measurements of the host, for other features. */
export interface LoadHistoryOfHost {
  /** History of a process. Rejects with `busy`. */
  of(name: string, range: PointRange): Promise<HistoryRow>;
  readonly measurements: Pick<Measurements, "subscribe" | "subscribeMachine">;
}

/** Measures what the processes of the host use, and keeps it. */
export const loadHistoryHost: HostFeature<keyof typeof LOAD_HISTORY_REQUESTS, LoadHistoryOfHost> = {
  begin({ clock, folders, lists, owners, log, publish }) {
    const runs = new Map<string, SampledRun>();
    const machine = new MachineFigures(folders?.state ?? null);
    const stateFolder = folders?.state ?? null;
    const histories = new Histories({ clock, log, stateFolder, machineSeries: HOST_SERIES.length + machine.cpus });
    const failures = new ThrottledWarning(log);
    const watches = new Watches(clock, () => measurements.watchChanged());
    const measurements = new Measurements(watches, () => sampler.watchChanged());
    const sampler = new Sampler({
      clock,
      owners,
      runs,
      histories,
      machine,
      watched: () => measurements.eachSecond,
      measured: (name, figures) => measurements.publish(name, figures),
      machineMeasured: (figures) => measurements.publishMachine(figures),
      sampled: (time, all) => {
        const rows = all.filter(([name]) => watches.names.has(name));
        for (let from = 0; from < rows.length; from += MAX_SAMPLE_ROWS) {
          const part = rows.slice(from, from + MAX_SAMPLE_ROWS);
          publish("load_samples", { time, rows: part.map(([name, figures]) => [name, figures.map(rounded)]) });
        }
      },
      warn: (msg) => failures.warn(msg),
    });
    const memory = new MemoryDetails(clock, (name) => sampler.treeOf(name));
    const answers = new Answers({ clock, histories, pages: lists.pages, cpus: machine.cpus });
    return {
      service: { of: (name, range) => answers.process(name, range), measurements },
      handlers: {
        load_history: (request) => answers.processes(request),
        host_load_history: (request) => answers.machine(request),
        newest_loads: () => answers.newest(),
        memory_detail: ({ name }) => memory.measure(name),
        watch_loads: ({ names }) => {
          watches.request(names);
          return {};
        },
      },
      runChanged: (kind, { report, usage }) => {
        if (kind === "exited" && usage !== null && report.stop_time !== null)
          sampler.runEnded(report.name, report.run_id, usage, { from: report.start_time, to: report.stop_time });
        if (!report.extinct) runs.set(report.name, { runId: report.run_id, pid: report.pid });
        else if (runs.get(report.name)?.runId === report.run_id) runs.delete(report.name);
      },
      managerLost: () => watches.request([]),
      close: async () => {
        sampler.close();
        answers.close();
        watches.request([]);
        await histories.close();
      },
    };
  },
};
