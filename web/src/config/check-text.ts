import { parseDocument } from "yaml";
import { ask, connection } from "../state/store.ts";
import type { Verdict } from "./text-checker.ts";

/** Maximum size of a frame without its request_id, bytes: the manager closes connections that send more than 1 MiB. */
const MAX_FRAME_BYTES = 1_048_576 - 100;

/** Checks a text for a file with the manager. If it is disconnected, or the text is too large for a frame, the page checks the syntax only. */
export async function checkText(path: string, content: string): Promise<Verdict> {
  const frame = { type: "check_config_file", path, content } as const;
  const isTooLarge = new TextEncoder().encode(JSON.stringify(frame)).length > MAX_FRAME_BYTES;
  if (isTooLarge || connection.peek().kind !== "open") return { problems: syntaxProblems(path, content), isSyntaxOnly: true };
  const answer = await ask(frame, "config_file_checked");
  if (!answer.ok && answer.problems === undefined) throw new Error(answer.message);
  return { problems: answer.problems ?? [], isSyntaxOnly: false };
}

function syntaxProblems(path: string, content: string): Verdict["problems"] {
  const { errors } = parseDocument(content, { uniqueKeys: false });
  return errors.map(({ message, linePos }) => ({
    path,
    line: linePos?.[0].line ?? 1,
    column: linePos?.[0].col ?? 1,
    message: `is not valid YAML: ${message.split("\n")[0]}`,
  }));
}
