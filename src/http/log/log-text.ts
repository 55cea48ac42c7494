import { visible } from "../../base/visible-text.ts";
import type { LogEntry } from "../../protocol/resources/resources.ts";

/** One line of `/mgr/log`, with its newline. */
export function formatLogLine({ ts, level, source, msg }: LogEntry): string {
  return `${ts} ${level} ${visible(source)}: ${visible(msg)}\n`;
}
