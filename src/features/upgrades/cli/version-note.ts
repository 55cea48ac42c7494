import type { ManagerClient } from "../../../client/manager-client.ts";
import { VERSION } from "../../../http/package-files.ts";

/** A note if the manager, or the daemon of its host, runs another version than this program. Never rejects. */
export async function versionNotes(client: Pick<ManagerClient, "request" | "snapshot">, own = VERSION): Promise<string[]> {
  try {
    const { running } = await client.request({ type: "request_versions" });
    const { manager, host_list } = await client.snapshot();
    const { version } = host_list.find(({ name }) => name === manager.host) ?? { version: null };
    const parts = [
      ...(running === own ? [] : [`the manager runs ${running}`]),
      ...(version === null || version === own ? [] : [`the daemon runs ${version}`]),
    ];
    if (parts.length === 0) return [];
    return [`this program is mgr ${own}, but ${parts.join(" and ")}: 'mgr upgrade' replaces what runs, and processes keep running`];
  } catch {
    // A manager of an earlier version does not say it, and one that ends says nothing.
    return [];
  }
}
