import { z } from "zod";
import type { RunReport } from "../../../contract/run.ts";
import type { TappedMessage } from "../../data-plane/host/index.ts";
import { LOG_LINE, logLine } from "../samples/mcap/channels.ts";

const JSON_OBJECT = { encoding: "json", definition: "", definitionName: "" } as const;
const logNote = z.object({ level: z.string(), source: z.string(), msg: z.string() });

/** An entry of the host or of the manager, as a message of a topic. `time`: nanoseconds since 1970. */
function entry(topic: string, kind: typeof LOG_LINE, time: bigint, payload: Uint8Array): TappedMessage {
  return { topic, ...kind, received: time, published: null, sequence: null, payload };
}

/** An entry with any value. */
export function jsonEntry(topic: string, time: bigint, value: unknown): TappedMessage {
  return entry(topic, JSON_OBJECT, time, new TextEncoder().encode(JSON.stringify(value ?? null)));
}

/** A line of text of a process. */
export function lineEntry(topic: string, time: bigint, process: string, text: string): TappedMessage {
  return entry(topic, LOG_LINE, time, logLine(time, "info", process, text));
}

/** An entry of the manager's log; a value of another shape is kept as it is. */
export function logEntry(topic: string, time: bigint, value: unknown): TappedMessage {
  const { data: line } = logNote.safeParse(value);
  return line === undefined
    ? { ...jsonEntry(topic, time, value), ...LOG_LINE }
    : entry(topic, LOG_LINE, time, logLine(time, line.level, line.source, line.msg));
}

/** Fields of a run in a message about its change. */
export type ChangedProcess = Pick<RunReport, "name" | "run_id" | "pid" | "ready" | "stopping" | "extinct" | "exit" | "rows" | "cols">;

/** A change of a run of the host. */
export function processEntry(time: bigint, change: string, process: ChangedProcess): TappedMessage {
  const { name, run_id, pid, ready, stopping, extinct, exit, rows, cols } = process;
  return jsonEntry("mgr/processes", time, { kind: change, name, run_id, pid, ready, stopping, extinct, exit, rows, cols });
}
