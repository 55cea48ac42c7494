import type { Config } from "../../../config/definition.ts";
import { CommandFailure, EXIT } from "../../command/exit-codes.ts";
import { withManager } from "../../manager/connection.ts";
import { localSocketOf } from "../../manager/local-instance.ts";

/**
 * Whether a manager of this machine already runs with this configuration. Throws if one runs with another file and the same state folder.
 */
export async function isAlreadyUp({ file, instance }: Pick<Config, "file" | "instance">): Promise<boolean> {
  if (file === null) return false;
  // The start itself reports problems of the state folder.
  const socket = await localSocketOf(instance.state_dir).catch(() => null);
  if (socket === null) return false;
  return withManager({ config: file }, async (client) => {
    const answer = await client.request({ type: "request_config_file" });
    if (answer.path === file) return true;
    throw new CommandFailure(
      EXIT.failed,
      `a manager already runs in the state folder ${instance.state_dir}, with another configuration: ${answer.path}. Stop it with: mgr down -c ${answer.path}`,
    );
  });
}
