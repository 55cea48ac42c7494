import { parseDocument } from "yaml";
import { ask, connection } from "../state/store.ts";
import type { Verdict } from "./text-checker.ts";

/** The manager closes a connection that sends a frame of more than 1 MiB; a little of that is left for the request_id. */
const MAX_FRAME_BYTES = 1_048_576 - 100;

/** The manager's judgement of a text for a file. Without a manager, and for a text that no frame can hold, the page judges the syntax. */
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
