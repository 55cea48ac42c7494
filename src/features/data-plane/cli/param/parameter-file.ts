import { parse, stringify } from "yaml";
import { messageOf } from "../../../../base/errors.ts";
import { CommandFailure, EXIT } from "../../../../cli/command/exit-codes.ts";
import { fullName } from "../../parameter-name.ts";
import type { Parameter } from "../../wire/parameter.ts";

/** Overrides by service and name; null: not overridden. */
export type Overrides = ReadonlyMap<string, { readonly service: string; readonly name: string; readonly value: string | null }>;

/** Overrides of parameters; disabled ones count as none. */
export function overridesOf(parameters: readonly Parameter[]): Overrides {
  return new Map(
    parameters.map((each) => [
      fullName(each),
      { service: each.service, name: each.name, value: each.override_enabled ? each.override_value : null },
    ]),
  );
}

/** Overrides as nested objects, for YAML and JSON. */
export function fileContent(overrides: Overrides): Record<string, Record<string, string | null>> {
  const content: Record<string, Record<string, string | null>> = {};
  for (const { service, name, value } of overrides.values()) {
    content[service] ??= {};
    content[service][name] = value;
  }
  return content;
}

export function yamlOf(overrides: Overrides): string {
  return `# Overrides of parameters by service and name; null: not overridden. Restore them with: mgr param load FILE\n${stringify(fileContent(overrides))}`;
}

/** Parses what `yamlOf` writes. Anything else fails with exit code 2 and its place in the file. */
export function parseOverrides(text: string, file: string): Overrides {
  const refuse = (what: string) => new CommandFailure(EXIT.usage, `${file}: ${what}`);
  let content: unknown;
  try {
    content = parse(text);
  } catch (error) {
    throw refuse(`invalid YAML: ${messageOf(error)}`);
  }
  if (!isRecord(content)) throw refuse("must be an object of services, as 'mgr param dump' writes it");
  const overrides = new Map<string, { service: string; name: string; value: string | null }>();
  for (const [service, parameters] of Object.entries(content)) {
    if (!isRecord(parameters)) throw refuse(`${service}: must be an object of parameters`);
    for (const [name, value] of Object.entries(parameters)) {
      const isScalar = value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean";
      if (!isScalar) throw refuse(`${service}: ${name}: must be a value or null`);
      overrides.set(fullName({ service, name }), { service, name, value: value === null ? null : String(value) });
    }
  }
  return overrides;
}

export interface Difference {
  readonly parameter: string;
  /** null: not overridden; undefined: the parameter does not exist. */
  readonly file: string | null | undefined;
  readonly now: string | null | undefined;
}

/** Compares only the parameters that are in the file. */
export function differences(file: Overrides, now: Overrides): Difference[] {
  return [...file].flatMap(([parameter, { value }]) => {
    const current = now.get(parameter)?.value;
    return current === value ? [] : [{ parameter, file: value, now: current }];
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
