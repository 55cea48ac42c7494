import type { Diagnostic } from "@codemirror/lint";
import type { Text } from "@codemirror/state";
import type { ConfigFileProblem } from "../../../src/protocol/resources/resources.ts";

/** The marks of problems in a text: each marks the word at its position, else the rest of the line. */
export function marksOf(doc: Text, problems: readonly ConfigFileProblem[]): Diagnostic[] {
  return problems.map(({ line, column, message }) => {
    const from = positionOf(doc, line, column);
    return { from, to: wordEnd(doc, from), severity: "error", message };
  });
}

/** Offset of a position; a position outside of the text becomes the nearest one in it. */
export function positionOf(doc: Text, line: number, column: number): number {
  const found = doc.line(Math.max(1, Math.min(line, doc.lines)));
  return Math.min(found.to, found.from + Math.max(0, column - 1));
}

function wordEnd(doc: Text, from: number): number {
  const line = doc.lineAt(from);
  const word = /^[^\s:,\]}]+/.exec(line.text.slice(from - line.from));
  return word ? from + word[0].length : line.to;
}
