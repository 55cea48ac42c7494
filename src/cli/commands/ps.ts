import type { Process, Snapshot } from "../../protocol/resources.ts";
import { type ConnectionFlags, connectManager } from "../connection.ts";
import { selectProcesses } from "../select.ts";
import { paintState, table } from "../table.ts";

export interface PsFlags extends ConnectionFlags {
  json?: boolean;
  watch?: boolean;
}

/** `mgr ps [NAME…]`: processes and their states, once or until Ctrl-C. */
export async function ps(names: string[], flags: PsFlags): Promise<void> {
  const client = await connectManager(flags);
  try {
    await show(await client.snapshot(), names, flags);
    if (!flags.watch) return;
    let stale = false;
    const repaint = setInterval(async () => {
      if (!stale) return;
      stale = false;
      process.stdout.write("\x1b[H\x1b[2J");
      await show(await client.snapshot(), names, flags);
    }, 200);
    try {
      await new Promise<void>((resolve) => {
        client.frames$.subscribe({
          next: (frame) => {
            if (frame.type === "process_upsert" || frame.type === "process_remove" || frame.type === "process_tree") stale = true;
          },
          complete: resolve,
        });
        process.once("SIGINT", resolve);
      });
    } finally {
      clearInterval(repaint);
    }
  } finally {
    client.close();
  }
}

async function show(snapshot: Snapshot, names: string[], flags: PsFlags): Promise<void> {
  const processes = names.length === 0 ? snapshot.processes : selectProcesses(snapshot.processes, names);
  process.stdout.write(`${flags.json ? JSON.stringify(processes, null, 2) : listing(processes)}\n`);
}

function listing(processes: Process[]): string {
  return table<Process>(
    [
      { title: "NAME", text: (row) => row.name },
      { title: "STATE", text: (row) => row.state, paint: (row, padded) => paintState(row.state, padded) },
      { title: "PID", text: (row) => (row.pid === null ? "-" : String(row.pid)), right: true },
      { title: "UPTIME", text: uptime, right: true },
      { title: "RESTARTS", text: (row) => String(row.restarts), right: true },
      { title: "", text: remark },
    ],
    processes,
  );
}

/** Times are the host's clock in UTC without a zone (protocol-decisions, "Conventions"). */
function uptime(row: Process): string {
  if (row.pid === null || row.start_time === null) return "-";
  const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(`${row.start_time}Z`)) / 1_000));
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

function exitText(row: Process): string {
  if (row.exit === null) return "";
  if (row.exit.reason !== null) return row.exit.reason;
  return row.exit.signal === null ? `exit code ${row.exit.code}` : `ended by ${row.exit.signal}`;
}
