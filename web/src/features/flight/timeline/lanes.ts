import type { Span } from "../../../ui/plot/finger-span.ts";
import type { RecordedMessage } from "../../recordings/file/recorded-file.ts";

/** A state of a run, by the changes in an incident. */
export type RunState = "running" | "ready" | "stopping" | "ended" | "failed";

interface Segment extends Span {
  readonly state: RunState;
  /** What is known about it, for a person. */
  readonly text: string;
}

/** The states of a process in the order of time. A time without a segment: it did not run, or nothing is known. */
export interface Lane {
  readonly name: string;
  readonly segments: readonly Segment[];
  /** Whether it changed within the incident. */
  readonly hasChanged: boolean;
}

/** A message of this kind is no change: it says what the process was when the part of its host begins. */
const STATE = "state";

interface Change {
  readonly time: number;
  readonly kind: string;
  readonly state: RunState;
  readonly text: string;
}

/** The lane of each process, those that failed first: of its state when the part begins, its changes, and its load, which shows that it ran. `messages`: in the order of time. */
export function lanesOf(messages: readonly RecordedMessage[], whole: Span): Lane[] {
  const changes = new Map<string, Change[]>();
  for (const { topic, time, value } of messages) {
    const { name } = Object(value) as Record<string, unknown>;
    if (typeof name !== "string" || name === "") continue;
    const known = changes.get(name) ?? [];
    changes.set(name, known);
    const change = topic === "mgr/processes" ? changeOf(time, Object(value)) : null;
    if (change !== null) known.push(change);
  }
  const lanes = [...changes].map(([name, own]) => ({
    name,
    segments: segmentsOf(own, whole),
    hasChanged: own.some(({ kind }) => kind !== STATE),
  }));
  const rank = ({ segments, hasChanged }: Lane) => (segments.some(({ state }) => state === "failed") ? 0 : hasChanged ? 1 : 2);
  return lanes.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}

function changeOf(time: number, value: Record<string, unknown>): Change {
  const { kind, ready, stopping, exit } = value;
  const state =
    exit === null || exit === undefined ? (stopping === true ? "stopping" : ready === true ? "ready" : "running") : endOf(value);
  const { code, signal, reason } = Object(exit) as Record<string, unknown>;
  const how = [reason, signal].find((each) => typeof each === "string") ?? (typeof code === "number" ? `exit code ${code}` : null);
  return { time, kind: String(kind), state, text: how === null ? state : `${state}: ${how}` };
}

/** A run that was stopped has ended as it should, whatever its exit is. */
function endOf({ exit, stopping }: Record<string, unknown>): RunState {
  return stopping === true || (Object(exit) as Record<string, unknown>).code === 0 ? "ended" : "failed";
}

function segmentsOf(changes: readonly Change[], whole: Span): Segment[] {
  const [first] = changes;
  if (first === undefined) return [{ ...whole, state: "running", text: "running, without a change" }];
  const segments: Segment[] = [];
  // Before any other change than its start, the process ran. What it did before its host's part begins is not known.
  if (first.kind !== "spawned" && first.kind !== "extinct" && first.kind !== STATE && first.time > whole.from)
    segments.push({ from: whole.from, until: first.time, state: "running", text: "running" });
  for (const [index, { time, state, text }] of changes.entries()) {
    const until = changes[index + 1]?.time ?? whole.until;
    const last = segments.at(-1);
    // Further changes within a state, such as the end of the rest of a tree, extend it.
    if (index > 0 && last?.state === state) segments[segments.length - 1] = { ...last, until };
    else segments.push({ from: time, until, state, text });
  }
  return segments;
}
