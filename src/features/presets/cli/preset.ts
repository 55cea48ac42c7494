import { counted } from "../../../base/text/counted.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { withManager } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { paint, printJson, table } from "../../../cli/output/table.ts";
import { fullName } from "../../data-plane/parameter-name.ts";
import type { Preset, PresetDifference, PresetValue } from "../wire.ts";

interface Flags extends ConnectionFlags {
  json?: boolean;
}

export interface SaveFlags extends Flags {
  pattern?: string;
  description?: string;
  all?: boolean;
  replace?: boolean;
}

export interface LoadFlags extends Flags {
  partial?: boolean;
}

/** `mgr preset list`. */
export async function presetList(flags: Flags): Promise<void> {
  await withManager(flags, async (client) => {
    const { folder, presets } = await client.request({ type: "request_presets" });
    if (flags.json) printJson({ folder, presets });
    else process.stdout.write(`${presets.length === 0 ? `no presets in ${visible(folder)}` : presetsText(presets)}\n`);
  });
}

/** `mgr preset show PRESET`. */
export async function presetShow(name: string, flags: Flags): Promise<void> {
  await withManager(flags, async (client) => {
    const { preset, values } = await client.request({ type: "request_preset", name });
    if (flags.json) printJson({ preset, values });
    else process.stdout.write(`${valuesText(values)}\n`);
  });
}

/** `mgr preset save PRESET [PARAMETERS…]`. */
export async function presetSave(name: string, parameters: readonly string[], flags: SaveFlags): Promise<void> {
  const { pattern, description, all = false, replace = false } = flags;
  if (parameters.length > 0 && pattern !== undefined) throw new CommandFailure(EXIT.usage, "name parameters, or give --pattern, not both");
  await withManager(flags, async (client) => {
    const { preset, unanswered } = await client.request({
      type: "save_preset",
      name,
      all,
      replace,
      ...(pattern === undefined ? {} : { pattern }),
      ...(description === undefined ? {} : { description }),
      ...(parameters.length === 0 ? {} : { parameters: [...parameters] }),
    });
    if (flags.json) printJson({ preset, unanswered });
    else process.stdout.write(`${counted(preset.values, "value")} saved\n`);
    complain(unanswered);
  });
}

/** `mgr preset load PRESET`. */
export async function presetLoad(name: string, flags: LoadFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const { changed, unchanged, failures } = await client.request({ type: "load_preset", name, partial: flags.partial ?? false });
    if (flags.json) printJson({ changed, unchanged, failures });
    else process.stdout.write(`${counted(changed, "override")} changed, ${unchanged} unchanged\n`);
    complain(failures.map(({ message, ...named }) => `${nameOf(named)}: ${message}`));
  });
}

/** `mgr preset compare PRESET [OTHER]`: exit code 1 if they differ. */
export async function presetCompare(name: string, other: string | undefined, flags: Flags): Promise<void> {
  await withManager(flags, async (client) => {
    const { differences } = await client.request({ type: "compare_preset", name, ...(other === undefined ? {} : { with: other }) });
    const differing = differences.filter(({ result }) => result !== "same");
    if (flags.json) printJson(differences);
    else process.stdout.write(differing.length === 0 ? "no differences\n" : `${differencesText(differing, other ?? "now")}\n`);
    if (differing.length > 0) process.exitCode = EXIT.failed;
  });
}

/** `mgr preset rm PRESET`. */
export async function presetRemove(name: string, flags: Flags): Promise<void> {
  await withManager(flags, async (client) => {
    await client.request({ type: "delete_preset", name });
    process.stdout.write(`preset ${visible(name)} deleted\n`);
  });
}

export function presetsText(presets: Preset[]): string {
  return table<Preset>(
    [
      { title: "PRESET", text: ({ name }) => name },
      { title: "VALUES", text: ({ values, problem }) => (problem === null ? String(values) : "-"), right: true },
      { title: "PATTERN", text: ({ pattern }) => pattern ?? "-" },
      { title: "SAVED (UTC)", text: ({ saved_at }) => saved_at?.slice(0, 19).replace("T", " ") ?? "-" },
      { title: "BY", text: ({ saved_by }) => (saved_by === "" ? "-" : saved_by) },
      {
        title: "DESCRIPTION",
        text: ({ description, problem }) => problem ?? description,
        paint: ({ problem }, text) => (problem === null ? text : paint("red", text)),
      },
    ],
    presets,
  );
}

export function valuesText(values: PresetValue[]): string {
  return table<PresetValue>(
    [
      { title: "PARAMETER", text: nameOf },
      { title: "VALUE", text: ({ value }) => value, right: true },
    ],
    values,
  );
}

/** `other`: the heading of what the preset is compared with. */
export function differencesText(differences: PresetDifference[], other: string): string {
  return table<PresetDifference>(
    [
      { title: "PARAMETER", text: nameOf },
      { title: "PRESET", text: ({ value }) => value ?? "-", right: true },
      { title: other.toUpperCase(), text: (each) => each.other ?? "-", right: true, paint: (_row, text) => paint("yellow", text) },
      { title: "RESULT", text: ({ result }) => result },
    ],
    differences,
  );
}

const nameOf = ({ service, parameter }: Pick<PresetValue, "service" | "parameter">): string => fullName({ service, name: parameter });

/** Prints what is missing on stderr; the exit code says so. */
function complain(problems: readonly string[]): void {
  for (const problem of problems) process.stderr.write(`mgr: ${visible(problem)}\n`);
  if (problems.length > 0) process.exitCode = EXIT.failed;
}
