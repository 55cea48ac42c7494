import { readdir } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { didYouMean } from "../../base/text/suggest.ts";
import { ConfigError } from "../schema/problems.ts";
import { fileProblem } from "./read-file.ts";

/** Maximum number of profiles at a time. */
const MAX_PROFILES = 20;

/** The file of a profile, beside the main file: `mgr.yaml` and `dev` make `mgr.dev.yaml`. */
export function profileFile(main: string, profile: string): string {
  const extension = extname(main);
  return join(dirname(main), `${basename(main, extension)}.${profile}${extension}`);
}

/** Throws a ConfigError if a profile has no usable name, or is named twice. `label`: name of the main file in problems. */
export function checkProfiles(label: string, profiles: readonly string[]): void {
  if (profiles.length > MAX_PROFILES) throw fileProblem(label, `cannot be used with more than ${MAX_PROFILES} profiles`);
  for (const [index, profile] of profiles.entries()) {
    if (!/^\w[\w-]{0,63}$/.test(profile))
      throw fileProblem(label, `'${profile}' is not the name of a profile: it must be 1 to 64 letters, digits, _ or -`);
    if (profiles.indexOf(profile) !== index) throw fileProblem(label, `the profile '${profile}' is named twice`);
  }
}

/** Turns the error of a profile's file that does not exist into one that lists the profiles that there are. */
export async function missingProfile(main: string, label: string, profile: string, error: unknown): Promise<unknown> {
  if (!(error instanceof ConfigError) || !(error.cause instanceof Error && "code" in error.cause && error.cause.code === "ENOENT"))
    return error;
  const known = await profilesOf(main);
  const hint = didYouMean(profile, known) || (known.length === 0 ? "; it has no profiles yet" : `; there are ${known.join(", ")}`);
  return fileProblem(label, `does not exist, so ${basename(main)} has no profile '${profile}'${hint}`);
}

/** The profiles of a main file, by name. */
async function profilesOf(main: string): Promise<string[]> {
  const extension = extname(main);
  const prefix = `${basename(main, extension)}.`;
  const names = await readdir(dirname(main)).catch((): string[] => []);
  return names
    .filter((name) => name.startsWith(prefix) && name.endsWith(extension))
    .map((name) => name.slice(prefix.length, -extension.length))
    .filter((name) => /^\w[\w-]*$/.test(name))
    .sort();
}
