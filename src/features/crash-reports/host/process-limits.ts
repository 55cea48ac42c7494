import type { CrashReport } from "../report.ts";

/** Names in /proc/PID/limits, as setrlimit(2) has them. File locks are left out: mgr marks runs with that limit. */
const NAMES: Readonly<Record<string, string>> = {
  "cpu time": "cpu",
  "file size": "fsize",
  "data size": "data",
  "stack size": "stack",
  "core file size": "core",
  "resident set": "rss",
  processes: "nproc",
  "open files": "nofile",
  "locked memory": "memlock",
  "address space": "as",
  "pending signals": "sigpending",
  "msgqueue size": "msgqueue",
  "nice priority": "nice",
  "realtime priority": "rtprio",
  "realtime timeout": "rttime",
};
const LINE = /^Max (.+?) {2,}(unlimited|\d+) +(unlimited|\d+)/;

/** The limits in the text of /proc/PID/limits. */
export function parseLimits(text: string): NonNullable<CrashReport["limits"]> {
  const limits: NonNullable<CrashReport["limits"]> = {};
  for (const line of text.split("\n")) {
    const [, kernelName = "", soft = "", hard = ""] = LINE.exec(line) ?? [];
    const name = NAMES[kernelName];
    if (name !== undefined) limits[name] = { soft: numberIn(soft), hard: numberIn(hard) };
  }
  return limits;
}

/** Values that no number can hold exactly are unlimited in practice. */
const numberIn = (text: string): number | null => (Number.isSafeInteger(Number(text)) ? Number(text) : null);
