import { withManager } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { printJson } from "../../../cli/output/table.ts";
import { settingsText } from "./settings-text.ts";

export interface ShowFlags extends ConnectionFlags {
  differences?: boolean;
  json?: boolean;
}

/** `mgr show NAME`: what a process runs with, beside what is configured. */
export async function show(name: string, { differences = false, json = false, ...flags }: ShowFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const { type: _type, ok: _ok, request_id: _id, ...found } = await client.request({ type: "request_running_settings", name });
    if (json) printJson(found);
    else process.stdout.write(`${settingsText(found, { onlyDifferences: differences })}\n`);
  });
}
