import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { withManager } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import type { ManagerClient } from "../../../client/manager-client.ts";
import type { Recording } from "../wire.ts";
import { findRecording, findRecordings } from "./find-recordings.ts";
import { deletedText, outcomeText, recordingList } from "./tables.ts";

/** Time in which files are completed, also on a slow disk, milliseconds. */
const STOP_MS = 60_000;

/** `mgr record stop NAME…`: ends recordings; returns when their files are complete. Without a name it lists them. */
export async function recordStop(names: string[], flags: ConnectionFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const recordings = await findRecordings(client, names);
    if (names.length === 0) {
      process.stdout.write(`${recordingList(recordings)}\n`);
      throw new CommandFailure(EXIT.usage, "give the names of the recordings to stop: mgr record stop NAME…");
    }
    for (const { name } of recordings) {
      await client.request({ type: "stop_recording", name }, { timeout: STOP_MS });
      process.stdout.write(`${outcomeText(await findRecording(client, name))}\n`);
    }
  });
}

export interface DeleteFlags extends ConnectionFlags {
  file?: string;
  host?: string;
}

/** `mgr record delete NAME…`: removes recordings with their files, or one file. */
export async function recordDelete(names: string[], { file, host, ...flags }: DeleteFlags): Promise<void> {
  if (file !== undefined && names.length > 1) throw new CommandFailure(EXIT.usage, "--file belongs to one recording: name only that one");
  await withManager(flags, async (client) => {
    // Deleting requires exact names: a pattern could match more than intended.
    const chosen: Recording[] = [];
    for (const name of names) chosen.push(await findRecording(client, name));
    for (const recording of chosen) await remove(client, recording, file, host);
  });
}

async function remove(client: ManagerClient, { name }: Recording, file: string | undefined, host: string | undefined): Promise<void> {
  const part = { ...(file === undefined ? {} : { file }), ...(host === undefined ? {} : { host }) };
  await client.request({ type: "delete_recording", name, ...part }, { timeout: STOP_MS });
  process.stdout.write(`${deletedText(name, file)}\n`);
}
