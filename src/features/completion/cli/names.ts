import { text } from "node:stream/consumers";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { localNames, MAX_WAIT_MS, type NamesRequest, namesPath } from "./local-names.ts";

/** `mgr completion names KIND…`: prints what the manager answers. Errors would spoil the line that is being typed: without a manager it prints nothing. */
export async function names(kinds: string[], { prefix, ...flags }: ConnectionFlags & { prefix: string }): Promise<void> {
  const deadline = setTimeout(() => process.exit(), MAX_WAIT_MS);
  const { config, trustConfig: _trust, ...others } = flags;
  const isLocal = Object.values(others).every((flag) => flag === undefined);
  try {
    const request = { kinds, prefix };
    process.stdout.write((isLocal ? await localNames(request, config) : null) ?? (await namesFrom(request, flags)));
  } catch {
    // No manager, no permission, or a manager of another version: there is nothing to complete.
  } finally {
    clearTimeout(deadline);
  }
}

async function namesFrom(request: NamesRequest, flags: ConnectionFlags): Promise<string> {
  const [{ findTarget }, { httpGet }] = await Promise.all([
    import("../../../cli/manager/connection-target.ts"),
    import("../../../cli/manager/http-get.ts"),
  ]);
  return text(await httpGet(await findTarget(flags), namesPath(request)));
}
