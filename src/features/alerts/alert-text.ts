import type { Alert } from "./wire.ts";

/** Why a process needs attention: one part of a sentence for each reason. `time` writes a timestamp, `text` escapes a line of output. */
export function alertReasons(
  { silent, output }: Pick<Alert, "silent" | "output">,
  words: { readonly time: (timestamp: string) => string; readonly text: (line: string) => string },
): string[] {
  return [
    ...(silent === null ? [] : [`no output since ${words.time(silent.since)}`]),
    ...(output === null ? [] : [`its output matched at ${words.time(output.since)}: ${words.text(output.line)}`]),
  ];
}
