import type { Process } from "../../protocol/resources/resources.ts";

/** How the newest run ended, in words; "" if it did not. */
export function exitText({ exit }: Pick<Process, "exit">): string {
  if (exit === null) return "";
  if (exit.reason !== null) return exit.reason;
  return exit.signal === null ? `exit code ${exit.code}` : `ended by ${exit.signal}`;
}
