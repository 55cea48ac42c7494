import { readFileSync } from "node:fs";
import { lstat, opendir } from "node:fs/promises";
import { constants, hostname } from "node:os";
import { join, resolve } from "node:path";
import { messageOf } from "../../../base/errors.ts";
import { type CoreFacts, corePlaceOf } from "./core-pattern.ts";

/** Files of a folder that are compared with the pattern, at most. */
const MAX_FILES = 20_000;
/** Files that match and are examined. */
const MAX_MATCHES = 100;
/** A file system may keep times to two seconds only, milliseconds. */
const TOLERANCE_MS = 3_000;

export interface CoreOptions {
  /** Values of the settings kernel.core_pattern and kernel.core_uses_pid. */
  readonly pattern: string;
  readonly usesPid: boolean;
}

export interface DumpedRun {
  readonly pid: number;
  readonly signal: string | null;
  readonly dumpedCore: boolean;
  /** User and group that it was started as. */
  readonly uid: number;
  readonly gid: number;
  readonly executable: string | null;
  readonly cwd: string;
  /** Wall clock, milliseconds. */
  readonly from: number;
  readonly until: number;
}

export interface FoundCore {
  readonly core: { readonly path: string; readonly size: number } | null;
  readonly core_problem: string | null;
}

/** The settings of this machine. Throws if they cannot be read. */
export function coreOptions(): CoreOptions {
  const setting = (name: string) => readFileSync(`/proc/sys/kernel/${name}`, "utf8");
  return { pattern: setting("core_pattern"), usesPid: setting("core_uses_pid").trim() !== "0" };
}

/** Finds the core dump of a run that has ended. Rejects only if the settings cannot be read. */
export async function findCore(run: DumpedRun, { pattern, usesPid }: CoreOptions = coreOptions()): Promise<FoundCore> {
  if (!run.dumpedCore) return none(withoutDump(run.signal));
  const signal = run.signal === null ? null : (constants.signals[run.signal as NodeJS.Signals] ?? null);
  const facts: CoreFacts = { ...run, signal, hostName: hostname() };
  const place = corePlaceOf(pattern, facts, usesPid);
  if (place.kind === "program") return none(atProgram(place.command, run.pid));
  if (place.kind === "unknown") return none(`kernel.core_pattern is '${pattern.trim()}', which does not say where the core dump is`);
  const folder = resolve(run.cwd, place.folder);
  try {
    return (
      (await newestIn(folder, place.name, run)) ??
      none(`there is no core dump of it in ${folder}: it may have changed its folder, or may not write there`)
    );
  } catch (error) {
    return none(`${folder} cannot be read: ${messageOf(error)}`);
  }
}

const none = (core_problem: string | null): FoundCore => ({ core: null, core_problem });

const DUMPING: ReadonlySet<string> = new Set([
  "SIGQUIT",
  "SIGILL",
  "SIGTRAP",
  "SIGABRT",
  "SIGBUS",
  "SIGFPE",
  "SIGSEGV",
  "SIGXCPU",
  "SIGXFSZ",
  "SIGSYS",
]);

function withoutDump(signal: string | null): string | null {
  if (signal === null || !DUMPING.has(signal)) return null;
  return "the kernel wrote no core dump: set limits.core of the process, and check kernel.core_pattern";
}

function atProgram(command: string, pid: number): string {
  if (command.includes("systemd-coredump"))
    return `the core dump was given to systemd-coredump: coredumpctl info ${pid}, coredumpctl gdb ${pid}`;
  return `the core dump was given to the program of kernel.core_pattern: ${command.split(" ")[0]}`;
}

/** Only a regular file of the process's user or of root, from the time of the run, is its core dump; links are not followed. */
async function newestIn(folder: string, name: RegExp, run: DumpedRun): Promise<FoundCore | null> {
  let newest: { path: string; size: number; mtimeMs: number } | null = null;
  let seen = 0;
  let matches = 0;
  for await (const entry of await opendir(folder)) {
    if (++seen > MAX_FILES || matches >= MAX_MATCHES) break;
    if (!entry.isFile() || !name.test(entry.name)) continue;
    matches++;
    const path = join(folder, entry.name);
    const { uid, size, mtimeMs } = await lstat(path);
    const isOurs = uid === run.uid || uid === 0;
    if (!isOurs || mtimeMs < run.from - TOLERANCE_MS || mtimeMs > run.until + TOLERANCE_MS) continue;
    if (newest === null || mtimeMs > newest.mtimeMs) newest = { path, size, mtimeMs };
  }
  return newest === null ? null : { core: { path: newest.path, size: newest.size }, core_problem: null };
}
