import { visible } from "../../../../base/text/visible-text.ts";
import { CommandFailure, EXIT } from "../../../../cli/command/exit-codes.ts";
import { type Kind, notFound } from "../../../../cli/manager/select.ts";
import type { ManagerClient } from "../../../../client/manager-client.ts";
import { fullName } from "../../parameter-name.ts";
import type { Parameter } from "../../wire/parameter.ts";

export const PARAMETER: Kind = { word: "parameter", list: "mgr param list" };

/** All parameters that match, and an error for each provider that did not answer. */
export async function askParameters(client: ManagerClient, pattern: string): Promise<{ parameters: Parameter[]; errors: string[] }> {
  const { parameters, errors } = await client.request({ type: "request_parameters", pattern });
  return { parameters, errors: errors.map(({ provider, message }) => `'${provider}' did not list its parameters: ${message}`) };
}

/** Prints errors on stderr; the exit code says that something is missing. */
export function reportMissing(errors: readonly string[]): void {
  for (const error of errors) process.stderr.write(`mgr: ${visible(error)}\n`);
  if (errors.length > 0) process.exitCode = EXIT.failed;
}

/**
 * Parameters by name, `SERVICE:NAME` or id; with `all`, every one of that name. Sends one request for all names. Exit code 3 if there is no such
 * parameter, 2 if a name is ambiguous.
 */
export async function findParameters(client: ManagerClient, names: readonly string[], all = false): Promise<Parameter[]> {
  // The names are not sent as a pattern: they may contain its characters.
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
