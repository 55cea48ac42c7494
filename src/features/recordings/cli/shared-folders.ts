import { networkInterfaces } from "node:os";
import { isAbsolute } from "node:path";
import type { Config } from "../../../config/definition.ts";
import { isOwnHost } from "../../../config/hosts.ts";

/** Returns a sentence for each host whose daemon runs on this machine and records into the folder of the manager's daemon. */
export function sharedRecordingFolders({ hosts, record: { path } }: Pick<Config, "hosts" | "record">): string[] {
  // Otherwise the folder is below the folder of each daemon.
  if (path === null || !isAbsolute(path)) return [];
  const own = new Set(Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address)));
  const isHere = (name: string) => isOwnHost(name) || own.has(name) || /^127\./.test(name);
  return [...hosts]
    .filter(([host, { aliases }]) => !isOwnHost(host) && [host, ...aliases].some(isHere))
    .map(
      ([host]) =>
        `record.path: the daemon of '${host}' has an address of this machine and records to the same folder, ${path}. Each daemon keeps max_files files there, and leaves those of the other alone`,
    );
}
