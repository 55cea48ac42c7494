import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { ManagerLaunch } from "../../../app/manager-options.ts";
import { parseJson } from "../../../base/json.ts";
import { packageFile, VERSION } from "../../../http/package-files.ts";

/** Reason why a manager without a supervisor cannot replace its program. */
export const IN_FOREGROUND = "it is in the foreground, or part of another program: start it again";

const manifest = z.object({ version: z.string().max(64) });

export interface ProgramVersions {
  readonly running: string;
  /** Null: it cannot be read. */
  readonly installed: string | null;
  /** Why the manager cannot replace its program; null: it can. */
  readonly problem: string | null;
}

/** The version of this program, and of the one that is installed in its place now. `path`: the installed package.json. */
export async function programVersions(launch: ManagerLaunch | null, path = packageFile("package.json")): Promise<ProgramVersions> {
  return { running: VERSION, installed: await versionIn(path), problem: launch === null ? IN_FOREGROUND : null };
}

async function versionIn(path: string): Promise<string | null> {
  try {
    return manifest.safeParse(parseJson(await readFile(path, "utf8"))).data?.version ?? null;
  } catch {
    // It is being installed, or was removed.
    return null;
  }
}
