import { readFile } from "node:fs/promises";
import { messageOf } from "../../../../base/errors.ts";
import { visible, visibleLines } from "../../../../base/text/visible-text.ts";
import { CommandFailure, EXIT } from "../../../../cli/command/exit-codes.ts";
import { withManager } from "../../../../cli/manager/connection.ts";
import { paint, printJson, table } from "../../../../cli/output/table.ts";
import { fullName } from "../../parameter-name.ts";
import { askParameters, reportMissing } from "./find-parameters.ts";
import type { ParamFlags } from "./list.ts";
import { overrideAll } from "./override.ts";
import { type Difference, differences, fileContent, type Overrides, overridesOf, parseOverrides, yamlOf } from "./parameter-file.ts";

/** `mgr param dump [PATTERN]`: prints all overrides as YAML. */
export async function paramDump(pattern: string, flags: ParamFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const { parameters, errors } = await askParameters(client, pattern);
    reportMissing(errors);
    const overrides = overridesOf(parameters);
    if (flags.json) printJson(fileContent(overrides));
    else process.stdout.write(visibleLines(yamlOf(overrides)));
  });
}

/** `mgr param load FILE`: sets the overrides to those of the file; parameters that are not in it stay. */
export async function paramLoad(file: string, flags: ParamFlags): Promise<void> {
  const overrides = await readOverrides(file);
  await withManager(flags, async (client) => {
    const { parameters, errors } = await askParameters(client, "*");
    reportMissing(errors);
    const known = new Set(parameters.map(fullName));
    for (const parameter of overrides.keys()) if (!known.has(parameter)) missing(parameter);
    // If two providers have the same name, both are changed.
    const changes = parameters.flatMap((parameter) => {
      const value = overrides.get(fullName(parameter))?.value;
      const isSame = value === (parameter.override_enabled ? parameter.override_value : null);
      return value === undefined || isSame ? [] : [{ parameter, value }];
    });
    await overrideAll(client, changes);
    process.stdout.write(`${changes.length} ${changes.length === 1 ? "override" : "overrides"} changed\n`);
  });
}

/** `mgr param diff FILE`: exit code 1 if the overrides are not those of the file. */
export async function paramDiff(file: string, flags: ParamFlags): Promise<void> {
  const overrides = await readOverrides(file);
  await withManager(flags, async (client) => {
    const { parameters, errors } = await askParameters(client, "*");
    reportMissing(errors);
    const found = differences(overrides, overridesOf(parameters));
    if (flags.json) printJson(found.map((each) => ({ ...each, exists: each.now !== undefined, now: each.now ?? null })));
    else if (found.length > 0) process.stdout.write(`${diffText(found)}\n`);
    if (found.length > 0) process.exitCode = EXIT.failed;
  });
}

export function diffText(found: Difference[]): string {
  const text = (value: string | null | undefined) => (value === undefined ? "(no such parameter)" : (value ?? "-"));
  return table<Difference>(
    [
      { title: "PARAMETER", text: ({ parameter }) => parameter },
      { title: "FILE", text: ({ file }) => text(file), right: true },
      { title: "NOW", text: ({ now }) => text(now), right: true, paint: (_row, padded) => paint("yellow", padded) },
    ],
    found,
  );
}

function missing(parameter: string): void {
  process.stderr.write(`mgr: there is no parameter ${visible(parameter)} now\n`);
  process.exitCode = EXIT.failed;
}

async function readOverrides(file: string): Promise<Overrides> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new CommandFailure(EXIT.usage, `cannot read ${file}: ${messageOf(error)}`);
  });
  return parseOverrides(text, file);
}
