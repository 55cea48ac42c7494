import { visible } from "../../base/visible-text.ts";
import { shownState, wordOf } from "../../client/shown/shown-state.ts";
import type { HostEntry, Process, Snapshot } from "../../protocol/resources/resources.ts";
import { connectManager, whileConnected } from "../manager/connection.ts";
import { selectProcesses } from "../manager/select.ts";
import type { ConnectionFlags } from "../manager/way.ts";
import { remark, uptime } from "../output/process-text.ts";
import { type Column, paint, paintState, printJson, table } from "../output/table.ts";

export interface PsFlags extends ConnectionFlags {
  json?: boolean;
  watch?: boolean;
}

/** Changes within this time are painted together, milliseconds. */
const REPAINT_MS = 200;

/** `mgr ps [NAME…]`: processes and their states, once or until Ctrl-C. */
export async function ps(names: string[], flags: PsFlags): Promise<void> {
  const client = await connectManager(flags);
  try {
    if (!flags.watch) return show(await client.snapshot(), names, flags);
    await whileConnected(client, (stop, fail) => {
      let isDue = true;
      const repaint = async () => {
        isDue = false;
        const snapshot = await client.snapshot();
        // Elsewhere than on a terminal one list follows the other; of JSON each is one line.
        if (process.stdout.isTTY) process.stdout.write("\x1b[H\x1b[2J");
        show(snapshot, names, flags);
        if (!process.stdout.isTTY && !flags.json) process.stdout.write("\n");
      };
      client.frames$.subscribe((frame) => {
        if (frame.type !== "process_upsert" && frame.type !== "process_remove" && frame.type !== "process_tree") return;
        if (isDue) return;
        isDue = true;
        setTimeout(() => repaint().catch(fail), REPAINT_MS);
      });
      process.once("SIGINT", stop);
      // Followed before it is asked: what changes in between is painted, too.
      repaint().catch(fail);
    });
  } finally {
    client.close();
  }
}

function show(snapshot: Snapshot, names: string[], flags: PsFlags): void {
  const { save_problem } = snapshot.manager;
  if (save_problem !== null) {
    process.stderr.write(`mgr: requests cannot be saved and would be lost in a crash: ${visible(save_problem)}\n`);
  }
  const processes = names.length === 0 ? snapshot.processes : selectProcesses(snapshot.processes, names);
  if (flags.json) printJson(processes, { oneLine: flags.watch ?? false });
  else process.stdout.write(`${listing(processes, snapshot.host_list)}\n`);
}

export function listing(processes: Process[], hosts: HostEntry[]): string {
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
      { title: "PID", text: (row) => (row.pid === null ? "-" : String(row.pid)), right: true },
      { title: "UPTIME", text: (row) => uptime(row, now(row)), right: true },
      { title: "RESTARTS", text: (row) => String(row.restarts), right: true },
      { title: "", text: (row) => remark(row, now(row), entries.get(row.host)) },
    ],
    processes,
  );
}
