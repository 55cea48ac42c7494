import { isWithin } from "../../base/names.ts";
import type { ManagerClient } from "../../client/manager-client.ts";
import { CLI_FEATURES } from "../../features/cli.ts";
import type { Snapshot } from "../../protocol/resources/resources.ts";
import type { ProcessSelector } from "../command/feature.ts";

/** Replaces words such as `tag:sim` by the names of the processes that they select. Fails with exit code 3 if one selects none. */
export async function namesOf(client: Pick<ManagerClient, "snapshot">, words: readonly string[]): Promise<string[]> {
  return words.some((word) => selectorOf(word) !== undefined) ? namesIn(await client.snapshot(), words) : [...words];
}

/** As `namesOf`, in a snapshot. A process or group whose name is the word itself comes first. */
export function namesIn(snapshot: Snapshot, words: readonly string[]): string[] {
  return words.flatMap((word) => {
    const selector = selectorOf(word);
    const isName = selector !== undefined && snapshot.processes.some(({ name }) => isWithin(name, word));
    return selector === undefined || isName ? word : selector.select(snapshot, word);
  });
}

function selectorOf(word: string): ProcessSelector | undefined {
  return CLI_FEATURES.flatMap(({ selector }) => selector ?? []).find(({ prefix }) => word.startsWith(prefix));
}
