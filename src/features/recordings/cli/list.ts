import { withManager } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { printJson } from "../../../cli/output/table.ts";
import { findRecordings } from "./find-recordings.ts";
import { recordingList } from "./tables.ts";

/** `mgr record list [NAME…]`: recordings with size, duration and losses. */
export async function recordList(names: string[], flags: ConnectionFlags & { json?: boolean }): Promise<void> {
  await withManager(flags, async (client) => {
    const recordings = await findRecordings(client, names);
    if (flags.json) printJson(recordings);
    else process.stdout.write(`${recordingList(recordings)}\n`);
  });
}
