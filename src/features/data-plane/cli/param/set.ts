import { visible } from "../../../../base/text/visible-text.ts";
import { withManager } from "../../../../cli/manager/connection.ts";
import { fullName } from "../../parameter-name.ts";
import type { Parameter } from "../../wire/parameter.ts";
import { findParameters } from "./find-parameters.ts";
import type { ParamFlags } from "./list.ts";
import { overrideAll } from "./override.ts";

export interface SetFlags extends ParamFlags {
  all?: boolean;
}

/** `mgr param set NAME VALUE`: overrides a parameter. */
export async function paramSet(name: string, value: string, flags: SetFlags): Promise<void> {
  await change([name], value, flags);
}

/** `mgr param clear NAME…`: clears overrides, so that the program's own values are in effect again. */
export async function paramClear(names: string[], flags: SetFlags): Promise<void> {
  await change(names, null, flags);
}

async function change(names: readonly string[], value: string | null, flags: SetFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const found = await findParameters(client, names, flags.all);
    await overrideAll(
      client,
      found.map((parameter) => ({ parameter, value })),
    );
    for (const parameter of found) process.stdout.write(`${changeText(parameter, value)}\n`);
  });
}

export function changeText(parameter: Pick<Parameter, "service" | "name">, value: string | null): string {
  return visible(`${fullName(parameter)}: ${value === null ? "override cleared" : `overridden with ${value}`}`);
}
