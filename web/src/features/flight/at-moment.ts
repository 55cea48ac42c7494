import type { RecordedFile } from "../recordings/file/public-file.ts";

const TERMINAL = "mgr/terminal/";
/** The position in the whole output, before the bytes of each message. */
const OFFSET_BYTES = 8;
/** Output that is drawn: more than any screen shows. */
const MAX_TERMINAL_BYTES = 128 * 1024;
const MAX_HAPPENINGS = 200;
/** States that are searched for the size of a terminal. */
const MAX_STATES = 5_000;
const DEFAULT_SIZE = { cols: 80, rows: 24 };
/** Levels of `foxglove.Log`. */
const [WARNING, ERROR] = [3, 4];

export interface Screen {
  readonly cols: number;
  readonly rows: number;
  readonly output: Uint8Array;
}

/** Something that was logged, or a change of a process. */
export interface Happening {
  /** Seconds since 1970. */
  readonly time: number;
  readonly text: string;
  readonly tone: "" | "warn" | "bad";
}

type Readable = Pick<RecordedFile, "topics" | "messagesBefore">;

/** Processes whose output was recorded. */
export function terminalsOf({ topics }: Pick<RecordedFile, "topics">): string[] {
  return topics.flatMap(({ name }) => (name.startsWith(TERMINAL) ? [name.slice(TERMINAL.length)] : []));
}

/** The last output of a process before a moment, seconds since 1970, and the size of its terminal. */
export async function terminalBefore(file: Readable, name: string, moment: number): Promise<Screen> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const { data } of file.messagesBefore([`${TERMINAL}${name}`], moment)) {
    parts.unshift(data.subarray(OFFSET_BYTES));
    size += data.length - OFFSET_BYTES;
    if (size >= MAX_TERMINAL_BYTES) break;
  }
  const output = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    output.set(part, at);
    at += part.length;
  }
  return { ...(await sizeBefore(file, name, moment)), output };
}

async function sizeBefore(file: Readable, name: string, moment: number): Promise<{ cols: number; rows: number }> {
  let searched = 0;
  for await (const { value } of file.messagesBefore(["mgr/processes"], moment)) {
    const { name: found, cols, rows } = Object(value) as Record<string, unknown>;
    if (found === name && isSize(cols) && isSize(rows)) return { cols, rows };
    if (++searched >= MAX_STATES) break;
  }
  return DEFAULT_SIZE;
}

const isSize = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0 && Number(value) <= 1_000;

/** The log and the changes of processes before a moment, newest first. */
export async function happeningsBefore(file: Readable, moment: number): Promise<Happening[]> {
  const found: Happening[] = [];
  for await (const { topic, time, value } of file.messagesBefore(["mgr/log", "mgr/processes"], moment)) {
    const happening = topic === "mgr/log" ? loggedOf(value) : changeOf(value);
    if (happening !== null) found.push({ time, ...happening });
    if (found.length >= MAX_HAPPENINGS) break;
  }
  return found;
}

function loggedOf(value: unknown): Pick<Happening, "text" | "tone"> | null {
  const { level, message, name } = Object(value) as Record<string, unknown>;
  if (typeof message !== "string") return null;
  const tone = typeof level !== "number" || level < WARNING ? "" : level < ERROR ? "warn" : "bad";
  return { text: typeof name === "string" && name !== "" ? `${name}: ${message}` : message, tone };
}

/** A change of a run, not the state with which the part of its host begins, as `processEntry` of the recordings writes it. */
function changeOf(value: unknown): Pick<Happening, "text" | "tone"> | null {
  const { kind, name, ready, stopping, exit, pid } = Object(value) as Record<string, unknown>;
  if (typeof name !== "string" || kind === "state") return null;
  if (typeof exit === "object" && exit !== null) {
    const { code, signal, reason } = exit as Record<string, unknown>;
    const how = typeof reason === "string" ? reason : typeof signal === "string" ? signal : `exit code ${code}`;
    return { text: `${name} ended: ${how}`, tone: code === 0 ? "" : "bad" };
  }
  if (stopping === true) return { text: `${name} is being stopped`, tone: "" };
  return { text: ready === true ? `${name} is ready` : `${name} runs, pid ${pid}`, tone: "" };
}
