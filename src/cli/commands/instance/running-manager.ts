import type { Config } from "../../../config/definition.ts";
import { CommandFailure, EXIT } from "../../command/exit-codes.ts";
import { withManager } from "../../manager/connection.ts";
import type { ConnectionFlags } from "../../manager/connection-target.ts";
import { localSocketOf } from "../../manager/local-instance.ts";

type Flags = Pick<ConnectionFlags, "trustConfig" | "profile">;

/**
 * Whether a manager of this machine already runs with this configuration. Throws if one runs with another file and the same state folder.
 */
export async function isAlreadyUp({ file, files, profiles, instance }: Config, flags: Flags): Promise<boolean> {
  if (file === null) return false;
  // The start itself reports problems of the state folder.
  const socket = await localSocketOf(instance.state_dir).catch(() => null);
  if (socket === null) return false;
  return withManager({ ...flags, config: file }, async (client) => {
    const answer = await client.request({ type: "request_config_file" });
    if (answer.path === file) {
      const known = new Set(answer.files.map(({ path }) => path));
      const missing = profiles.find((_, index) => !known.has(files[index + 1] ?? ""));
      if (missing === undefined) return true;
      throw new CommandFailure(
        EXIT.failed,
        `'${instance.name}' already runs without the profile '${missing}'. Stop it with 'mgr down' first`,
      );
    }
    throw new CommandFailure(
      EXIT.failed,
      `a manager already runs in the state folder ${instance.state_dir}, with another configuration: ${answer.path}. Stop it with: mgr down -c ${answer.path}`,
    );
  });
}
