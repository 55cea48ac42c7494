import type { MetricsPart } from "../../../http/extension.ts";
import type { LoadFigures } from "../wire.ts";
import type { LoadHistory, Newest } from "./load-history.ts";

/** Processes with series of their own, at most: each series costs the memory of whatever collects it. */
const MAX_PROCESSES = 1_000;

const GAUGES: readonly (readonly [name: string, help: string, value: (load: LoadFigures) => number | null])[] = [
  [
    "mgr_process_cpu_ratio",
    "CPU that a process and its descendants used; 1 is one CPU.",
    ({ cpu_percent }) => cpu_percent && cpu_percent / 100,
  ],
  ["mgr_process_memory_bytes", "Resident memory, or what the cgroup of the run counts.", ({ memory }) => memory],
  ["mgr_process_threads", "Threads.", ({ threads }) => threads],
  ["mgr_process_open_descriptors", "Open descriptors.", ({ descriptors }) => descriptors],
  ["mgr_process_disk_read_bytes_per_second", "Bytes read from disks.", ({ read_bytes_s }) => read_bytes_s],
  ["mgr_process_disk_written_bytes_per_second", "Bytes written to disks.", ({ written_bytes_s }) => written_bytes_s],
  ["mgr_process_context_switches_per_second", "Context switches.", ({ context_switches_s }) => context_switches_s],
  ["mgr_process_major_page_faults_per_second", "Page faults that had to read from a disk.", ({ major_faults_s }) => major_faults_s],
];

/** The newest figures of each process. */
export function loadMetrics(loads: Pick<LoadHistory, "newest">): MetricsPart {
  let newest: Newest["processes"] = [];
  return {
    async collect() {
      const { processes } = await loads.newest({}, { kind: "full" }).catch(() => ({ processes: [] }));
      newest = processes.toSorted((a, b) => (b.load.cpu_percent ?? 0) - (a.load.cpu_percent ?? 0));
    },
    define(writer) {
      for (const [name, help, value] of GAUGES) {
        writer.gauge(name, `${help} Measured every 10 s.`, ["process", "host"], (gauge) => {
          gauge.reset();
          for (const { name: process, host, load } of newest.slice(0, MAX_PROCESSES)) {
            const figure = value(load);
            if (figure !== null) gauge.set({ process, host }, figure);
          }
        });
      }
      const help = `Processes without series of their own: those that used the least CPU of more than ${MAX_PROCESSES}.`;
      writer.gauge("mgr_process_loads_left_out", help, [], (gauge) => gauge.set(Math.max(0, newest.length - MAX_PROCESSES)));
    },
  };
}
