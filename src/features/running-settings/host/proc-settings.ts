import { readlinkSync } from "node:fs";
import { cpusOf } from "../../../base/cpu-mask.ts";
import { LIMIT_NAMES, type LimitName } from "../../../contract/run-settings.ts";
import { readAffinity } from "../../../daemon/native/process-calls.ts";
import { readProcFile, readStat } from "../../../daemon/proc/proc.ts";

/** Most bytes of an environment that are compared. */
export const MAX_ENVIRONMENT_BYTES = 256 * 1024;

/** Names of the limits in /proc/PID/limits. */
const LIMIT_TITLES: Readonly<Record<LimitName, string>> = {
  as: "Max address space",
  core: "Max core file size",
  cpu: "Max cpu time",
  data: "Max data size",
  fsize: "Max file size",
  memlock: "Max locked memory",
  msgqueue: "Max msgqueue size",
  nice: "Max nice priority",
  nofile: "Max open files",
  nproc: "Max processes",
  rss: "Max resident set",
  rtprio: "Max realtime priority",
  rttime: "Max realtime timeout",
  sigpending: "Max pending signals",
  stack: "Max stack size",
};

/** Settings of a process as the kernel has them now; null: not readable. */
export interface ProcSettings {
  /** The environment with which its program was started: changes that a program makes later are not visible outside of it. */
  readonly environment: ReadonlyMap<string, string> | null;
  readonly isCut: boolean;
  readonly limits: ReadonlyMap<LimitName, { soft: number | null; hard: number | null }>;
  readonly cwd: string | null;
  readonly uid: number | null;
  readonly umask: number | null;
  readonly nice: number;
  readonly policy: number;
  readonly prio: number;
  readonly affinity: readonly number[] | null;
}

/** Null: there is no such process. */
export function readSettings(pid: number): ProcSettings | null {
  const stat = readStat(pid);
  if (stat === null || stat.ended) return null;
  // A file of /proc is in a buffer that the next read overwrites.
  const environ = readProcFile(`/proc/${pid}/environ`);
  const isCut = environ !== null && environ.length > MAX_ENVIRONMENT_BYTES;
  const environment = environ === null ? null : parseEnvironment(environ.subarray(0, MAX_ENVIRONMENT_BYTES), isCut);
  const limits = parseLimits(readProcFile(`/proc/${pid}/limits`)?.toString("latin1") ?? "");
  const status = readProcFile(`/proc/${pid}/status`)?.toString("latin1") ?? "";
  const uid = /^Uid:\s+\d+\s+(\d+)/m.exec(status)?.[1];
  const umask = /^Umask:\s+(\d+)/m.exec(status)?.[1];
  const mask = readAffinity(pid);
  return {
    environment,
    isCut,
    limits,
    cwd: linkAt(`/proc/${pid}/cwd`),
    uid: uid === undefined ? null : Number(uid),
    umask: umask === undefined ? null : Number.parseInt(umask, 8),
    nice: stat.nice,
    policy: stat.policy,
    prio: stat.prio,
    affinity: mask === null ? null : cpusOf(mask),
  };
}

/** Variables by name; of one that is there twice the first, as getenv(3) returns it. The last one of a cut environment is incomplete. */
export function parseEnvironment(bytes: Buffer, isCut: boolean): Map<string, string> {
  const entries = bytes.toString("utf8").split("\0");
  if (isCut) entries.pop();
  const variables = new Map<string, string>();
  for (const entry of entries) {
    const end = entry.indexOf("=");
    if (end <= 0) continue;
    const name = entry.slice(0, end);
    if (!variables.has(name)) variables.set(name, entry.slice(end + 1));
  }
  return variables;
}

/** Lines such as `Max open files            1024                 524288               files`. */
export function parseLimits(text: string): Map<LimitName, { soft: number | null; hard: number | null }> {
  const lines = text.split("\n");
  const value = (word: string | undefined) => (word === "unlimited" ? null : Number(word));
  return new Map(
    LIMIT_NAMES.flatMap((name) => {
      const title = LIMIT_TITLES[name];
      const line = lines.find((each) => each.startsWith(`${title} `));
      const [soft, hard] = line?.slice(title.length).trim().split(/\s+/) ?? [];
      return soft === undefined || hard === undefined ? [] : [[name, { soft: value(soft), hard: value(hard) }] as const];
    }),
  );
}

function linkAt(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
