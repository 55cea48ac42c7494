import { counted } from "../../../base/text/counted.ts";
import { visible } from "../../../base/text/visible-text.ts";
import type { Carried, Dropped, Guessed } from "./model/findings.ts";
import type { Place } from "./model/tree.ts";

/** What an import did. */
export interface Report {
  /** Kind of the imported file, such as "supervisord". */
  readonly kind: string;
  readonly files: readonly string[];
  /** Names of the processes in the new configuration. */
  readonly processes: readonly string[];
  readonly carried: readonly Carried[];
  readonly guessed: readonly Guessed[];
  readonly dropped: readonly Dropped[];
}

/** The report for people: first what needs a decision. */
export function reportText({ kind, files, processes, carried, guessed, dropped }: Report): string {
  const lines = [
    `${kind}: ${counted(processes.length, "process", "processes")} from ${files.join(", ")}; ${counted(carried.length, "key", "keys")} carried over`,
  ];
  if (guessed.length > 0)
    lines.push(
      "",
      "Guessed; please check (comments in the configuration mark them):",
      ...guessed.map((each) => `  ${where(each.place)}  ${each.key}${each.to === "" ? "" : ` → ${each.to}`}: ${each.why}`),
    );
  if (dropped.length > 0)
    lines.push(
      "",
      "Not carried over:",
      ...dropped.map(
        (each) => `  ${where(each.place)}  ${each.key}: ${each.why}${each.instead === "" ? "" : `. Instead: ${each.instead}`}`,
      ),
    );
  return `${lines.map(visible).join("\n")}\n`;
}

function where({ file, line }: Place): string {
  return line === 0 ? file : `${file}:${line}`;
}
