import { exitText } from "../../client/exit-text.ts";
import type { HostEntry, Process, Snapshot } from "../../protocol/resources.ts";
import { type ConnectionFlags, connectManager, whileConnected } from "../connection.ts";
import { selectProcesses } from "../select.ts";
import { type Column, paint, paintState, table } from "../table.ts";

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
    show(await client.snapshot(), names, flags);
    if (!flags.watch) return;
    await whileConnected(client, (stop, fail) => {
      let isDue = false;
      const repaint = async () => {
        isDue = false;
        const snapshot = await client.snapshot();
        process.stdout.write("\x1b[H\x1b[2J");
        show(snapshot, names, flags);
      };
      client.frames$.subscribe((frame) => {
        if (frame.type !== "process_upsert" && frame.type !== "process_remove" && frame.type !== "process_tree") return;
        if (isDue) return;
        isDue = true;
        setTimeout(() => repaint().catch(fail), REPAINT_MS);
      });
      process.once("SIGINT", stop);
    });
  } finally {
    client.close();
  }
}

function show(snapshot: Snapshot, names: string[], flags: PsFlags): void {
  const processes = names.length === 0 ? snapshot.processes : selectProcesses(snapshot.processes, names);
  process.stdout.write(`${flags.json ? JSON.stringify(processes, null, 2) : listing(processes, snapshot.host_list)}\n`);
}

function listing(processes: Process[], hosts: HostEntry[]): string {
  const offsets = new Map(hosts.map(({ name, clock_offset }) => [name, (clock_offset ?? 0) * 1_000]));
  const host: Column<Process> = {
    title: "HOST",
    text: ({ host, host_ready }) => (host_ready ? host : `${host} (away)`),
    paint: ({ host_ready }, text) => (host_ready ? text : paint("yellow", text)),
  };
  return table<Process>(
    [
      { title: "NAME", text: (row) => row.name },
      { title: "STATE", text: (row) => row.state, paint: (row, padded) => paintState(row.state, padded) },
      ...(hosts.length > 1 ? [host] : []),
      { title: "PID", text: (row) => (row.pid === null ? "-" : String(row.pid)), right: true },
      { title: "UPTIME", text: (row) => uptime(row, Date.now() + (offsets.get(row.host) ?? 0)), right: true },
      { title: "RESTARTS", text: (row) => String(row.restarts), right: true },
      { title: "", text: remark },
    ],
    processes,
  );
}

/** Times are the host's clock, and so is `now`; in UTC without a zone (protocol-decisions, "Conventions"). */
function uptime(row: Process, now: number): string {
  if (row.pid === null || row.start_time === null) return "-";
  const seconds = Math.max(0, Math.floor((now - Date.parse(`${row.start_time}Z`)) / 1_000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m${seconds % 60}s`;
  return `${Math.floor(seconds / 3_600)}h${Math.floor((seconds % 3_600) / 60)}m`;
}

/** Why it is as it is, where that is not plain from the state. */
function remark(row: Process): string {
  if (row.state === "waiting") return `waiting for ${row.waiting_for.join(", ")}`;
  if (row.state === "backoff" && row.next_start_time !== null) return `${exitText(row)}; next start ${row.next_start_time}`;
  if (row.state === "error") return exitText(row);
  return row.state === "stopped" && row.exit !== null ? exitText(row) : "";
}
