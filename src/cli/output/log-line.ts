import { visible } from "../../base/visible-text.ts";
import type { LogEntry } from "../../protocol/resources/resources.ts";
import { paint } from "./table.ts";

/** An entry as `mgr up` prints it, with its newline; "" for what only `mgr log` shows. */
export function logLine({ ts, level, source, msg }: LogEntry): string {
  if (level === "debug") return "";
  const shownLevel = { info: paint("grey", "info "), warning: paint("yellow", "warn "), error: paint("red", "error") }[level];
  return `${paint("grey", ts.slice(11))} ${shownLevel} ${visible(source === "manager" ? msg : `${source}: ${msg}`)}\n`;
}
