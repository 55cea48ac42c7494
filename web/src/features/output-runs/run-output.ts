import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../../../src/base/errors.ts";
import { refusalOf } from "../../state/access.ts";
import { outputAddress } from "./output-address.ts";

/** The last lines of a run, or why there are none; `text` is null while they are loaded. */
export interface RunOutput {
  readonly text: string | null;
  readonly problem: string | null;
}

const LOADING: RunOutput = { text: null, problem: null };

/** The last lines of the output of a run. `again`: another value loads them again. */
export function useRunOutput(name: string, { run, lines, again }: { run: number; lines: number; again: unknown }): RunOutput {
  const [output, setOutput] = useState<{ key: string; output: RunOutput }>({ key: "", output: LOADING });
  const key = `${run} ${name}`;
  // The page reads the output of a run as a download does.
  const refusal = refusalOf({ need: "download", on: name }, "The output of a run");
  useEffect(() => {
    if (refusal !== null) return;
    const ended = new AbortController();
    loadOutput(outputAddress({ target: { name }, run, lines }), ended.signal)
      .then((text) => ({ text, problem: null }))
      .catch((error: unknown) => ({ text: null, problem: messageOf(error) }))
      .then((loaded) => !ended.signal.aborted && setOutput({ key, output: loaded }));
    return () => ended.abort();
  }, [key, lines, again, refusal]);
  if (refusal !== null) return { text: null, problem: refusal };
  return output.key === key ? output.output : LOADING;
}

async function loadOutput(address: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(address, { signal });
  const text = await response.text();
  if (!response.ok) throw new Error(text.trim() || `The manager answered ${response.status}.`);
  return text;
}

/** The lines of a text; a line end at the very end ends the last line. */
export function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
