import type { LogEntry, ProcessState } from "../../../src/protocol/resources/resources.ts";

/** A change of state, as the manager's log tells it (docs/design/wire-rules.md). */
export interface StateChange {
  id: number;
  ts: string;
  name: string;
  /** null: a new manager adopted the process in state `to`. */
  from: ProcessState | null;
  to: ProcessState;
}

const CHANGE = /^process '(.+)' (?:changes state from '([a-z]+)' to|adopted: (?:pid \d+|not running), state) '([a-z]+)'/;

export function stateChange({ id, ts, msg }: LogEntry): StateChange | null {
  const [, name, from, to] = CHANGE.exec(msg) ?? [];
  return name && to ? { id, ts, name, from: (from as ProcessState | undefined) ?? null, to: to as ProcessState } : null;
}

/** Splits a message at the names of processes in quotes, so that they can be links. */
export function withNames(message: string, isProcess: (name: string) => boolean): (string | { name: string })[] {
  const parts: (string | { name: string })[] = [];
  let from = 0;
  for (const match of message.matchAll(/'([^']+)'/g)) {
    const name = match[1] ?? "";
    if (!isProcess(name)) continue;
    parts.push(message.slice(from, match.index + 1), { name });
    from = match.index + 1 + name.length;
  }
  parts.push(message.slice(from));
  return parts.filter((part) => part !== "");
}
