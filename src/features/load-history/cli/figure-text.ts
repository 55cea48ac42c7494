import { cpuText, memoryText } from "../../../client/shown/load-text.ts";
import type { ProcessSeries } from "../series.ts";

const rate = (unit: string) => (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value)}${unit}`;
const bytesRate = (value: number) => `${memoryText(value)}/s`;
const whole = (value: number) => String(Math.round(value));

/** Title of each series, and its values as text. */
export const SERIES_TEXT: Readonly<Record<ProcessSeries, { title: string; text: (value: number) => string }>> = {
  cpu_percent: { title: "CPU%", text: cpuText },
  memory: { title: "MEMORY", text: memoryText },
  threads: { title: "THREADS", text: whole },
  descriptors: { title: "DESCRIPTORS", text: whole },
  read_bytes_s: { title: "DISK READ", text: bytesRate },
  written_bytes_s: { title: "DISK WRITTEN", text: bytesRate },
  context_switches_s: { title: "SWITCHES", text: rate("/s") },
  major_faults_s: { title: "MAJOR FAULTS", text: rate("/s") },
};

/** "-" for what is not known. */
export function figureText(series: ProcessSeries, value: number | null | undefined): string {
  return value === null || value === undefined ? "-" : SERIES_TEXT[series].text(value);
}
