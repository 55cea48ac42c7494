import { visible } from "../../../../base/visible-text.ts";
import { CommandFailure, EXIT } from "../../../../cli/command/exit-codes.ts";
import { type Kind, notFound } from "../../../../cli/manager/select.ts";
import type { ManagerClient } from "../../../../client/manager-client.ts";
import type { Parameter } from "../../wire/parameter.ts";

export const PARAMETER: Kind = { word: "parameter", list: "mgr param list" };

/** Everything that matches, and what cannot be known since a provider did not answer. */
export async function askParameters(client: ManagerClient, pattern: string): Promise<{ parameters: Parameter[]; errors: string[] }> {
  const { parameters, errors } = await client.request({ type: "request_parameters", pattern });
  return { parameters, errors: errors.map(({ provider, message }) => `'${provider}' did not list its parameters: ${message}`) };
}

/** On stderr; the exit code says that something is missing. */
export function reportMissing(errors: readonly string[]): void {
  for (const error of errors) process.stderr.write(`mgr: ${visible(error)}\n`);
  if (errors.length > 0) process.exitCode = EXIT.failed;
}

/**
 * Parameters by name, `SERVICE:NAME` or id; with `all` every one that is so named. Asks once, however many names there are. Else exit code 3,
 * or 2 if several are meant by one name.
 */
export async function findParameters(client: ManagerClient, names: readonly string[], all = false): Promise<Parameter[]> {
  // Not as a pattern: names may hold its characters.
  const { parameters, errors } = await askParameters(client, "*");
  const found = names.flatMap((name) => {
    const named = parameters.filter((each) => each.name === name || fullName(each) === name || each.id === name);
    if (named.length === 0) {
      reportMissing(errors);
      const known = parameters.map((each) => ({ name: name.includes(":") ? fullName(each) : each.name }));
      throw notFound(`there is no parameter '${name}'`, name, known, PARAMETER);
    }
    if (named.length > 1 && !all) throw ambiguous(name, named);
    return named;
  });
  return [...new Set(found)];
}

function ambiguous(name: string, found: readonly Parameter[]): CommandFailure {
  const full = new Set(found.map(fullName));
  const choices = full.size === found.length ? [...full] : found.map(({ id }) => id);
  return new CommandFailure(EXIT.usage, `there are ${found.length} parameters '${name}': name one of ${choices.join(", ")}, or use --all`);
}

/** Unique as long as no two providers have the same name. */
export function fullName({ service, name }: Pick<Parameter, "service" | "name">): string {
  return `${service}:${name}`;
}
