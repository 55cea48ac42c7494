import { visible } from "../../base/visible-text.ts";
import type { ManagerClient } from "../../client/index.ts";
import type { Parameter } from "../../protocol/resources/resources.ts";
import { CommandFailure, EXIT } from "../exit-codes.ts";
import { type Kind, notFound } from "../manager/select.ts";

export const PARAMETER: Kind = { word: "parameter", list: "mgr param list" };

/** Everything that matches, and what cannot be known since a provider did not answer. */
export async function askParameters(client: ManagerClient, pattern: string): Promise<{ parameters: Parameter[]; errors: string[] }> {
  const { parameters, errors } = await client.request({ type: "request_parameters", pattern });
  return { parameters, errors: errors.map(({ provider, message }) => `'${provider}' did not tell its parameters: ${message}`) };
}

/** On stderr; the exit code says that something is missing. */
export function reportMissing(errors: readonly string[]): void {
  for (const error of errors) process.stderr.write(`mgr: ${visible(error)}\n`);
  if (errors.length > 0) process.exitCode = EXIT.failed;
}

/** A parameter by its name, `SERVICE:NAME` or id; with `all` every one that is so named. Else exit code 3, or 2 if several are. */
export async function findParameters(client: ManagerClient, name: string, all = false): Promise<Parameter[]> {
  // Not as a pattern: names may hold its characters.
  const { parameters, errors } = await askParameters(client, "*");
  const found = parameters.filter((each) => each.name === name || fullName(each) === name || each.id === name);
  if (found.length === 0) {
    reportMissing(errors);
    const names = parameters.flatMap((each) => (name.includes(":") ? [{ name: fullName(each) }] : [{ name: each.name }]));
    throw notFound(`there is no parameter '${name}'`, name, names, PARAMETER);
  }
  if (found.length === 1 || all) return found;
  const full = new Set(found.map(fullName));
  const choices = full.size === found.length ? [...full] : found.map(({ id }) => id);
  throw new CommandFailure(EXIT.usage, `there are ${found.length} parameters '${name}': name one of ${choices.join(", ")}, or use --all`);
}

/** Unique as long as no two providers have the same name. */
export function fullName({ service, name }: Pick<Parameter, "service" | "name">): string {
  return `${service}:${name}`;
}
