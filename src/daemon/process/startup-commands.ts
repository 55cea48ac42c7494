import { resolve } from "node:path";
import { MgrError } from "../../base/errors.ts";
import { quoteWords } from "../../base/text/shell-words.ts";
import { MAX_MESSAGE_BYTES } from "../../contract/messages.ts";
import type { RunSpec } from "../../contract/run.ts";
import type { LimitName, Scheduling } from "../../contract/run-settings.ts";
import { type Account, accountOf } from "./accounts.ts";
import { childEnvironment, RUN_MARKER } from "./environment.ts";
import { policyOf } from "./restrictions.ts";

/** Options of `ulimit` that all shells accept in the same units, and the size of a unit in the kernel's units. */
const ULIMITS: Partial<Record<LimitName, { option: string; unit: number }>> = {
  as: { option: "v", unit: 1_024 },
  cpu: { option: "t", unit: 1 },
  data: { option: "d", unit: 1_024 },
  memlock: { option: "l", unit: 1_024 },
  nofile: { option: "n", unit: 1 },
  rss: { option: "m", unit: 1_024 },
  stack: { option: "s", unit: 1_024 },
};

/** Programs that are also shell built-ins: only through `env` does the program itself run. */
const BUILTIN_PROGRAMS = new Set(["[", "echo", "false", "kill", "nice", "printf", "pwd", "test", "true"]);
/** Names that a shell can export; other names are set by `env`. */
const EXPORTABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const SCHEDULERS = new Map([
  [0, "--other"],
  [1, "--fifo"],
  [2, "--rr"],
  [3, "--batch"],
  [5, "--idle"],
]);
/** Maximum size of the lines, bytes: the rest of a message is its envelope. */
const MAX_LINES_BYTES = MAX_MESSAGE_BYTES - 1_024;

interface Surroundings {
  /** File with the address of the host's bus; null: none. */
  readonly busUrlFile: string | null;
  /** Variables from the features of the host. */
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * Returns lines that, pasted into a shell of this host, start the same process by hand: same folder, limits, environment and words.
 * Variables that the pasting shell has exported beyond the child's are unset first. Rejects with `spawn_failed` for a user or an env file
 * that cannot be used, with `too_large` for lines that do not fit into a message.
 */
export async function startupCommands(spec: RunSpec, { busUrlFile, variables }: Surroundings): Promise<string[]> {
  const account = accountOf(spec.user);
  // The host finds its own runs by the marker: this process is not one.
  const { [RUN_MARKER]: _marker, ...environment } = await childEnvironment(spec, { marker: "", account, busUrl: null, variables });
  const sorted = Object.entries(environment).sort(([a], [b]) => (a < b ? -1 : 1));
  const exported = sorted.filter(([name]) => EXPORTABLE.test(name));
  return withinLimit(spec, [
    `cd ${quote(resolve(spec.base_dir, spec.cwd))}`,
    ...(spec.umask === null ? [] : [`umask ${spec.umask.toString(8).padStart(3, "0")}`]),
    ...limitLines(spec),
    // The single quotes of sed's script keep the dollar and the backslashes from the shell.
    `unset $(env | sed -n 's/^\\([A-Za-z_][A-Za-z0-9_]*\\)=.*/\\1/p' | grep -v -x -e _ -e PATH) 2>/dev/null`,
    // A run has a token of its own, which nothing else may use.
    ...(busUrlFile === null || "MGR_BUS_URL" in environment ? [] : [`export MGR_BUS_URL="$(cat ${quote(busUrlFile)})"`]),
    ...exported.map(([name, value]) => `export ${name}=${quote(value)}`),
    [...schedulingPrefix(spec.scheduling), ...accountPrefix(account), ...environmentPrefix(spec, sorted), commandLine(spec)].join(" "),
  ]);
}

function withinLimit({ name }: RunSpec, lines: string[]): string[] {
  const bytes = Buffer.byteLength(JSON.stringify(lines));
  if (bytes <= MAX_LINES_BYTES) return lines;
  const message = `the commands that start '${name}' have ${bytes} bytes, the limit is ${MAX_LINES_BYTES}; shorten its command or its environment`;
  throw new MgrError("too_large", message);
}

function limitLines({ limits }: RunSpec): string[] {
  return Object.entries(limits).flatMap(([name, limit]) => {
    if (limit === undefined) return [];
    const { soft, hard } = limit;
    const known = ULIMITS[name as LimitName];
    // Shells disagree about the others; prlimit has the kernel's names and units.
    if (!known || [soft, hard].some((value) => value !== null && value % known.unit !== 0))
      return [`prlimit --pid $$ --${name}=${soft ?? "unlimited"}:${hard ?? "unlimited"}`];
    const text = (value: number | null) => (value === null ? "unlimited" : String(value / known.unit));
    if (soft === hard) return [`ulimit -${known.option} ${text(soft)}`];
    return [`ulimit -S -${known.option} ${text(soft)}`, `ulimit -H -${known.option} ${text(hard)}`];
  });
}

function accountPrefix(account: Account | null): string[] {
  if (account === null) return [];
  return [`setpriv --reuid=${account.uid} --regid=${account.gid} --groups=${account.groups.join(",")}`];
}

function schedulingPrefix(scheduling: Scheduling | null): string[] {
  if (scheduling === null) return [];
  const { affinity, nice } = scheduling;
  const requested = policyOf(scheduling);
  return [
    ...(affinity === null ? [] : [`taskset -c ${affinity.join(",")}`]),
    ...(requested === null ? [] : [`chrt ${SCHEDULERS.get(requested.policy) ?? "--other"} ${requested.prio}`]),
    // nice(1) adds to the niceness of the shell; the configured value is absolute.
    ...(nice === null ? [] : [`env nice -n "$((${nice} - $(env nice)))"`]),
  ];
}

function environmentPrefix({ program }: RunSpec, variables: readonly (readonly [string, string])[]): string[] {
  const unexportable = variables.filter(([name]) => !EXPORTABLE.test(name)).map(([name, value]) => quote(`${name}=${value}`));
  const isBuiltin = program.kind === "exec" && BUILTIN_PROGRAMS.has(program.argv[0] ?? "");
  return unexportable.length > 0 || isBuiltin ? ["env", ...unexportable] : [];
}

function commandLine({ program }: RunSpec): string {
  return quoteWords(program.kind === "exec" ? program.argv : ["/bin/sh", "-c", program.line]);
}

/** Quotes a word that is not a command name: `quoteWords` treats the first word as one. */
function quote(word: string): string {
  return quoteWords(["_", word]).slice(2);
}
