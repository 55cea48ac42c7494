import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Extents, HistoryFile } from "./history-file.ts";

export const FILE_NAME = /^[0-9a-f]{32}\.load$/;

/** State of a history file. */
export interface Entry {
  readonly name: string;
  readonly series: number;
  /** When it was written last, milliseconds since 1970. */
  writtenAt: number;
  /** Open; null: it is opened when it is needed. */
  file: HistoryFile | null;
  level: number;
  /** Size and layout of the closed file; null: it was not opened yet. */
  extents: Extents | null;
  /** When its place was checked last, monotonic milliseconds. */
  checkedAt: number;
}

export const newEntry = (name: string, series: number, writtenAt: number, level: number): Entry => ({
  name,
  series,
  writtenAt,
  level,
  file: null,
  extents: null,
  checkedAt: 0,
});

/** Descriptors that this process may open. */
export function maxDescriptors(): number {
  return Number(/^Max open files +(\d+) /m.exec(readFileSync("/proc/self/limits", "latin1"))?.[1] ?? 1_024);
}

/** Names may contain slashes and be longer than a file name. */
export function fileNameOf(name: string): string {
  return `${createHash("sha256").update(name).digest("hex").slice(0, 32)}.load`;
}
