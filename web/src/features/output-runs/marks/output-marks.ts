import { effect, type Signal, signal } from "@preact/signals";
import { LoadPoll } from "../../../state/load-poll.ts";
import { poppedOut } from "../../../state/navigation.ts";
import { kept } from "../../../state/settings.ts";
import { client, connection, hasProcess } from "../../../state/store.ts";
import { namesWithTerminal } from "../../../terminal/shown-terminals.ts";
import { type OutputEnd, readSeenEnds, SeenOutput } from "./seen-output.ts";

/** Whether processes with new output are marked. */
export const marksOn = kept<boolean>("outputMarks", true, (value) => (typeof value === "boolean" ? value : null));

const KEY = "mgr.seenOutput";
/** Maximum delay until a view is written to the browser's storage, ms: viewing a process that writes changes it all the time. */
const SAVE_MS = 10_000;
/** Most processes of one answer of the manager. */
const MAX_ENDS = 1_000;
/** Characters of a stream id that are kept: enough to tell two streams of one process apart. */
const STREAM_CHARS = 8;

/** A signal for each process, so that a mark repaints one row. */
const marks = new Map<string, Signal<boolean>>();
const seen = new SeenOutput(readStored());

function signalOf(name: string): Signal<boolean> {
  const known = marks.get(name);
  if (known) return known;
  const made = signal(seen.isNew(name));
  marks.set(name, made);
  return made;
}

export const outputMark = (name: string): string | null => (marksOn.value && signalOf(name).value ? "new output" : null);

/** Draws the marks of these processes as they are now. */
function refresh(names: Iterable<string>): void {
  for (const name of names) {
    const mark = marks.get(name);
    if (mark) mark.value = seen.isNew(name);
  }
}

/** Asks the manager every two seconds which processes have written, while the page is visible and marks are on. */
export function followOutput(): void {
  if (poppedOut) return;
  const isVisible = signal(!document.hidden);
  document.addEventListener("visibilitychange", () => {
    isVisible.value = !document.hidden;
  });
  let after: string | undefined;
  const poll = new LoadPoll({
    ask: () => client.request({ type: "request_output_ends", ...(after === undefined ? {} : { after }) }),
    onAnswer: (answer) => {
      if (answer === null) return;
      after = answer.next;
      const ends = answer.ends.map(({ name, offset, stream_id }): [string, OutputEnd] => [
        name,
        [offset, stream_id.slice(0, STREAM_CHARS)],
      ]);
      if (seen.update(ends, ends.length < MAX_ENDS)) saveSoon();
      refresh(ends.map(([name]) => name));
    },
    setTimeout: (run, milliseconds) => setTimeout(run, milliseconds),
    clearTimeout: (timer) => clearTimeout(timer as number),
  });
  effect(() => poll.update([undefined], marksOn.value && isVisible.value && connection.value.kind === "open"));
  effect(() => {
    refresh(seen.look(new Set(isVisible.value ? namesWithTerminal() : [])));
    saveSoon();
  });
  addEventListener("pagehide", save);
  addEventListener("storage", ({ key }) => key === KEY && mergeStored());
}

let saving: ReturnType<typeof setTimeout> | undefined;
function saveSoon(): void {
  saving ??= setTimeout(save, SAVE_MS);
}

function save(): void {
  clearTimeout(saving);
  saving = undefined;
  mergeStored();
  if (connection.peek().kind === "open") {
    seen.keep(hasProcess);
    for (const name of marks.keys()) if (!hasProcess(name)) marks.delete(name);
  }
  const { stored } = seen;
  if (stored === null) return;
  try {
    localStorage.setItem(KEY, JSON.stringify(stored));
  } catch {
    // Storage is off or full: marks then last as long as the page.
  }
}

/** Takes over what other tabs of this browser have seen. */
function mergeStored(): void {
  const stored = readStored();
  if (stored !== null) refresh(seen.merge(stored));
}

function readStored() {
  try {
    return readSeenEnds(JSON.parse(localStorage.getItem(KEY) ?? "null"));
  } catch {
    return null; // Storage is off, or holds something else.
  }
}
