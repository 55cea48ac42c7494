import { visible } from "../../../base/text/visible-text.ts";
import type { ManagerClient } from "../../../client/manager-client.ts";
import { hostRemark } from "../../../client/shown/host-remark.ts";
import { cpuText, memoryText } from "../../../client/shown/load-text.ts";
import { shownState, wordOf } from "../../../client/shown/shown-state.ts";
import { CLI_FEATURES } from "../../../features/cli.ts";
import type { HostEntry, Process, ProcessLoad, Snapshot } from "../../../protocol/resources/resources.ts";
import { parseTime } from "../../../protocol/time.ts";
import type { ProcessFigures } from "../../command/feature.ts";
import { whileConnected, withManager, withManagerUntilInterrupted } from "../../manager/connection.ts";
import type { ConnectionFlags } from "../../manager/connection-target.ts";
import { processesIn } from "../../manager/selectors.ts";
import { clockTime, remark, uptime } from "../../output/process-text.ts";
import { type Column, paint, paintState, printJson, table } from "../../output/table.ts";
import { type Loads, loadsOf } from "./loads.ts";

export interface PsFlags extends ConnectionFlags {
  json?: boolean;
  watch?: boolean;
  /** Options of features: whether they are given. */
  [option: string]: unknown;
}

/** Changes within this time are painted together, milliseconds. */
const REPAINT_MS = 200;
/** Time for which restarts without a manager are mentioned, milliseconds: an hour. */
const NEWS_MS = 3_600_000;

/** `mgr ps [NAME…]`: shows processes and their states, once or until Ctrl-C. */
export async function ps(names: string[], flags: PsFlags): Promise<void> {
  if (flags.watch) {
    await withManagerUntilInterrupted(flags, (client) =>
      whileConnected(client, () => new Promise((_resolve, reject) => watch(client, names, flags, reject))),
    );
    return;
  }
  await withManager(flags, async (client) => {
    const [loads, figures, snapshot] = await Promise.all([loadsOf(client), figuresOf(client, flags), client.snapshot()]);
    show(snapshot, { loads, figures }, names, flags);
  });
}

/** Paints now, and after each change. */
function watch(client: ManagerClient, names: string[], flags: PsFlags, fail: (error: unknown) => void): void {
  let isDue = true;
  const repaint = async () => {
    isDue = false;
    // The snapshot comes last: of two lists in progress, the one printed last is then the newer one.
    const [loads, figures] = await Promise.all([loadsOf(client), figuresOf(client, flags)]);
    show(await client.snapshot(), { loads, figures }, names, flags);
    if (!process.stdout.isTTY && !flags.json) process.stdout.write("\n");
  };
  client.frames$.subscribe((frame) => {
    if (frame.type !== "process_upsert" && frame.type !== "process_remove" && frame.type !== "process_tree") return;
    if (isDue) return;
    isDue = true;
    setTimeout(() => repaint().catch(fail), REPAINT_MS);
  });
  // Subscribed before the first request: changes in between are painted, too.
  repaint().catch(fail);
}

/** Columns of the features whose options are given. */
function figuresOf(client: ManagerClient, flags: PsFlags): Promise<ProcessFigures[]> {
  return Promise.all(
    CLI_FEATURES.flatMap(({ processFigures }) =>
      processFigures !== undefined && flags[processFigures.option] ? processFigures.of(client) : [],
    ),
  );
}

interface Shown {
  readonly loads: Loads | null;
  readonly figures: readonly ProcessFigures[];
}

function show(snapshot: Snapshot, { loads, figures }: Shown, names: string[], flags: PsFlags): void {
  // On a terminal each list replaces the previous one; elsewhere they follow each other, JSON as one line each.
  if (flags.watch && process.stdout.isTTY) process.stdout.write("\x1b[H\x1b[2J");
  const { save_problem } = snapshot.manager;
  if (save_problem !== null) {
    process.stderr.write(`mgr: requests cannot be saved and would be lost in a crash: ${visible(save_problem)}\n`);
  }
  for (const host of snapshot.host_list) {
    const news = isNews(host) ? hostRemark(host, clockTime) : null;
    if (news !== null) process.stderr.write(`mgr: host ${visible(host.name)}: ${news}\n`);
  }
  const processes = names.length === 0 ? snapshot.processes : processesIn(snapshot, names);
  const all = [...figures, ...CLI_FEATURES.flatMap(({ snapshotFigures }) => snapshotFigures?.(snapshot) ?? [])];
  if (flags.json)
    printJson(
      processes.map((process) => Object.assign(withLoad(process, loads), ...all.map(({ json }) => json(process)))),
      { oneLine: flags.watch ?? false },
    );
  else process.stdout.write(`${listing(processes, snapshot.host_list, loads, { figures: all, remarks: remarksOf(snapshot) })}\n`);
}

/** Whether the host has no manager now, or had none within the last hour. */
function isNews({ daemon_ready, alone }: HostEntry): boolean {
  return !daemon_ready || (alone !== undefined && Date.now() - parseTime(alone.until) < NEWS_MS);
}

/** Remarks of the features, by process. */
function remarksOf(snapshot: Snapshot): ReadonlyMap<string, string> {
  const remarks = new Map<string, string>();
  for (const { processRemarks } of CLI_FEATURES)
    for (const [name, text] of processRemarks?.(snapshot) ?? []) {
      const before = remarks.get(name);
      remarks.set(name, before === undefined ? text : `${before}; ${text}`);
    }
  return remarks;
}

/** Adds the load of a process; null: it does not run, or its load is not known. */
function withLoad(process: Process, loads: Loads | null): Process & Record<"cpu_percent" | "memory_rss", number | null> {
  const { cpu_percent = null, memory_rss = null } = loads?.get(process.name) ?? {};
  return { ...process, cpu_percent, memory_rss };
}

/** `loads`: null omits their columns. */
export function listing(
  processes: Process[],
  hosts: HostEntry[],
  loads: Loads | null,
  {
    figures = [],
    remarks = new Map(),
    width,
  }: { figures?: readonly ProcessFigures[]; remarks?: ReadonlyMap<string, string>; width?: number } = {},
): string {
  const entries = new Map(hosts.map((entry) => [entry.name, entry]));
  const now = ({ host }: Process) => Date.now() + (entries.get(host)?.clock_offset ?? 0) * 1_000;
  const host: Column<Process> = {
    title: "HOST",
    text: ({ host, host_ready }) => (host_ready ? host : `${host} (away)`),
    paint: ({ host_ready }, text) => (host_ready ? text : paint("yellow", text)),
  };
  return table<Process>(
    [
      { title: "NAME", text: (row) => row.name },
      { title: "STATE", text: (row) => wordOf(shownState(row)), paint: (row, padded) => paintState(shownState(row), padded) },
      ...(hosts.length > 1 ? [host] : []),
      { title: "PID", text: (row) => (row.pid === null ? "-" : String(row.pid)), right: true, spare: 2 },
      ...(loads === null ? [] : loadColumns(loads)),
      ...figures.flatMap(({ columns }) => columns),
      { title: "UPTIME", text: (row) => uptime(row, now(row)), right: true, spare: 3 },
      { title: "RESTARTS", text: (row) => String(row.restarts), right: true, spare: 1 },
      {
        title: "",
        text: (row) => [remark(row, now(row), entries.get(row.host)), remarks.get(row.name) ?? ""].filter((text) => text !== "").join("; "),
      },
    ],
    processes,
    width,
  );
}

function loadColumns(loads: Loads): Column<Process>[] {
  const text = (write: (load: ProcessLoad) => string) => (row: Process) => {
    const load = loads.get(row.name);
    return load === undefined ? "-" : write(load);
  };
  return [
    { title: "CPU%", text: text(({ cpu_percent }) => cpuText(cpu_percent)), right: true, spare: 5 },
    { title: "MEMORY", text: text(({ memory_rss }) => memoryText(memory_rss)), right: true, spare: 4 },
  ];
}
