import { cpuText, memoryText } from "../../../../src/client/shown/load-text.ts";

/** A figure as the page shows it. */
export interface Figure {
  readonly key: string;
  readonly title: string;
  /** Series that are requested for it, with what each is called where there are several. */
  readonly series: readonly (readonly [series: string, label: string])[];
  readonly text: (value: number) => string;
  /** Shown on request only. */
  readonly isExtra?: true;
  /** Steps of the value axis grow by powers of 2. */
  readonly isBinary?: true;
  /** There is nothing between two whole numbers. */
  readonly isWhole?: true;
}

const percent = (value: number) => `${value >= 100 || value === 0 ? Math.round(value) : cpuText(value)} %`;
const memory = (value: number) => (value === 0 ? "0" : memoryText(value));
const memoryRate = (value: number) => (value < 1_024 ? `${Math.round(value)} B/s` : `${memoryText(value)}/s`);
const whole = (value: number) => Math.round(value).toLocaleString("en-US");
const rate = (value: number) => `${value < 10 ? value.toFixed(1) : whole(value)}/s`;

const DISK: Figure = {
  key: "disk",
  title: "Disk I/O",
  series: [
    ["read_bytes_s", "read"],
    ["written_bytes_s", "written"],
  ],
  text: memoryRate,
  isBinary: true,
};

export const PROCESS_FIGURES: readonly Figure[] = [
  { key: "cpu", title: "CPU", series: [["cpu_percent", ""]], text: percent },
  { key: "memory", title: "Memory", series: [["memory", ""]], text: memory, isBinary: true },
  DISK,
  { key: "threads", title: "Threads", series: [["threads", ""]], text: whole, isExtra: true, isWhole: true },
  { key: "descriptors", title: "Descriptors", series: [["descriptors", ""]], text: whole, isExtra: true, isWhole: true },
  { key: "switches", title: "Context switches", series: [["context_switches_s", ""]], text: rate, isExtra: true },
  { key: "faults", title: "Major page faults", series: [["major_faults_s", ""]], text: rate, isExtra: true },
];

/** Each process of a group has one curve of each figure. */
export const GROUP_FIGURES = PROCESS_FIGURES.filter(({ isExtra }) => !isExtra);

export const HOST_FIGURES: readonly Figure[] = [
  { key: "cpu", title: "CPU", series: [["cpu_percent", "all CPUs"]], text: percent },
  {
    key: "memory",
    title: "Memory",
    series: [
      ["memory_used", "used"],
      ["swap_used", "swap"],
    ],
    text: memory,
    isBinary: true,
  },
  DISK,
  { key: "load", title: "Load", series: [["load", "last minute"]], text: (value) => value.toFixed(2) },
  { key: "temperature", title: "Temperature", series: [["temperature", "hottest sensor"]], text: (value) => `${value.toFixed(1)} °C` },
  { key: "free", title: "Free disk", series: [["disk_free", "file system of the state folder"]], text: memory, isBinary: true },
];
