import { withManager } from "../../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../../cli/manager/connection-target.ts";
import { notFound } from "../../../../cli/manager/select.ts";
import { paint, printJson, table } from "../../../../cli/output/table.ts";
import { fullName } from "../../parameter-name.ts";
import type { Parameter } from "../../wire/parameter.ts";
import { askParameters, PARAMETER, reportMissing } from "./find-parameters.ts";

export interface ParamFlags extends ConnectionFlags {
  json?: boolean;
}

/** `mgr param list [PATTERN]`: lists parameters of all clients. */
export async function paramList(pattern: string, flags: ParamFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const { parameters, errors } = await askParameters(client, pattern);
    reportMissing(errors);
    if (parameters.length === 0 && pattern !== "*") {
      const all = (await askParameters(client, "*")).parameters;
      throw notFound(`'${pattern}' matches no parameter`, pattern, all, PARAMETER);
    }
    if (flags.json) printJson(parameters);
    else process.stdout.write(`${listing(parameters)}\n`);
  });
}

export function listing(parameters: Parameter[]): string {
  return table<Parameter>(
    [
      { title: "PARAMETER", text: fullName },
      { title: "VALUE", text: ({ output }) => output, right: true },
      {
        title: "OVERRIDE",
        text: ({ override_enabled, override_value }) => (override_enabled ? override_value : "-"),
        paint: ({ override_enabled }, text) => (override_enabled ? paint("yellow", text) : text),
        right: true,
      },
      { title: "INPUT", text: ({ input }) => input, right: true },
      { title: "UNIT", text: ({ unit }) => unit },
      { title: "TYPE", text: typeText },
      { title: "DESCRIPTION", text: ({ description }) => description },
    ],
    parameters,
  );
}

/** The type with the range of values that the program accepts. */
function typeText({ type, minimum, maximum }: Parameter): string {
  return minimum === null && maximum === null ? type : `${type} ${minimum ?? "-∞"} to ${maximum ?? "∞"}`;
}
