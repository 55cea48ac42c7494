import { readdirSync } from "node:fs";
import { isMissing } from "../../../../files/state-file.ts";
import { summaryOf } from "../../../recordings/samples/mcap/file-summary.ts";
import { repairMcap } from "../../../recordings/samples/mcap/repair.ts";

/** The part that a killed daemon has left, as a complete file; null: there is none. */
export async function leftIn(path: string): Promise<{ start: bigint; end: bigint; messages: number } | null> {
  try {
    await repairMcap(path);
    const { times, messages } = await summaryOf(path);
    return times && { ...times, messages };
  } catch {
    return null;
  }
}

/** Names of the files in a folder, in order; none if it does not exist. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
