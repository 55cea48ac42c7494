import { find, type Kind, select } from "../../../cli/manager/select.ts";
import type { ManagerClient } from "../../../client/manager-client.ts";
import type { Recording } from "../wire.ts";

const RECORDING: Kind = { word: "recording", list: "mgr record list" };

/** All recordings, or those selected by `names`. */
export async function findRecordings(client: ManagerClient, names: readonly string[]): Promise<Recording[]> {
  const { recordings } = await client.request({ type: "request_recordings" });
  return names.length === 0 ? recordings : select(recordings, names, RECORDING);
}

export async function findRecording(client: ManagerClient, name: string): Promise<Recording> {
  return find(await findRecordings(client, []), name, RECORDING);
}
