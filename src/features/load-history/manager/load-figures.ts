import { type Figures, PROCESS_SERIES } from "../series.ts";
import type { LoadFigures } from "../wire.ts";

/** Figures in the order of PROCESS_SERIES, with their names. */
export function loadFigures(figures: Figures): LoadFigures {
  const at = (series: keyof LoadFigures) => figures[PROCESS_SERIES.indexOf(series)] ?? null;
  return {
    cpu_percent: at("cpu_percent"),
    memory: at("memory"),
    threads: at("threads"),
    descriptors: at("descriptors"),
    read_bytes_s: at("read_bytes_s"),
    written_bytes_s: at("written_bytes_s"),
    context_switches_s: at("context_switches_s"),
    major_faults_s: at("major_faults_s"),
  };
}
