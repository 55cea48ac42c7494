import { visible } from "../../../../base/text/visible-text.ts";
import { withManager } from "../../../../cli/manager/connection.ts";
import { printJson } from "../../../../cli/output/table.ts";
import { findParameters } from "./find-parameters.ts";
import type { ParamFlags } from "./list.ts";

/** `mgr param get NAME`: prints the value that is in effect. */
export async function paramGet(name: string, flags: ParamFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const [parameter] = await findParameters(client, [name]);
    if (flags.json) printJson(parameter);
    else process.stdout.write(`${visible(parameter?.output ?? "")}\n`);
  });
}
