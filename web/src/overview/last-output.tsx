import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { lastLine } from "../../../src/client/shown/last-line.ts";
import type { Process } from "../../../src/protocol/resources/resources.ts";
import { drawnWithNextFrame } from "../state/painting.ts";
import { client, connection } from "../state/store.ts";
import { LastLines } from "./last-lines.ts";

/** Number of lines that are requested: the last ones are often empty, and a stack trace may follow an error. */
const LINES = 40;
const answers = signal(0);

const lastLines = new LastLines({
  ask: async (name) => lastLine((await client.request({ type: "get_process_output", name, lines: LINES })).output),
  onAnswer: () =>
    drawnWithNextFrame(() => {
      answers.value++;
    }),
});

/**
 * The last line that the newest run wrote before it ended. While a process is restarted repeatedly, the line stays until the next one; a process
 * that could not be started has none. Its place is kept while it is not known.
 */
export function LastOutput({ process }: { process: Process }) {
  const { name, exit, restarting } = process;
  const hasRun = exit !== null && (exit.code !== null || exit.signal !== null);
  const end = hasRun ? exit.time : null;
  const isOpen = connection.value.kind === "open";
  useEffect(() => {
    if (end !== null && isOpen) lastLines.request(name, end);
  }, [name, end, isOpen]);
  void answers.value;
  const line = hasRun || (exit === null && restarting) ? lastLines.of(name) : "";
  if (line === "" && !hasRun) return null;
  return (
    <code class="last-output" title={line === "" ? undefined : `Last output: ${line}`}>
      {line}
    </code>
  );
}
