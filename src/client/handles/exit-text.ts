import type { Process } from "../../protocol/resources/resources.ts";

/** End of the newest run, in words; "" if it has not ended. */
export function exitText({ exit }: Pick<Process, "exit">): string {
  if (exit === null) return "";
  if (exit.reason !== null) return exit.reason;
  return exit.signal === null ? `exit code ${exit.code}` : `ended by ${exit.signal}`;
}
