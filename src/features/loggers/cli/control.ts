import { visible } from "../../../base/text/visible-text.ts";
import { withManager } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { findLogger, findLoggers } from "./find-loggers.ts";

type Verb = "start" | "stop" | "delete";
const DONE: Record<Verb, string> = { start: "started", stop: "stopped", delete: "deleted" };

/** `mgr logger start|stop|delete NAME…` */
export async function loggerControl(verb: Verb, names: string[], flags: ConnectionFlags): Promise<void> {
  await withManager(flags, async (client) => {
    // Deleting requires exact names: a pattern could match more than intended.
    const chosen = verb === "delete" ? await Promise.all(names.map((name) => findLogger(client, name))) : await findLoggers(client, names);
    for (const { name } of chosen) {
      await client.logger(name)[verb]();
      process.stdout.write(`${controlText(verb, name)}\n`);
    }
  });
}

export function controlText(verb: Verb, name: string): string {
  return visible(`${name}: ${DONE[verb]}`);
}
