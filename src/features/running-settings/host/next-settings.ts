import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { messageOf } from "../../../base/errors.ts";
import type { RunSettings } from "../../../contract/run-settings.ts";
import { accountOf } from "../../../daemon/process/accounts.ts";
import { childEnvironment, RUN_MARKER } from "../../../daemon/process/environment.ts";
import type { NextSettings } from "./compare.ts";

/** The settings of a start of `spec` on this host; and why its environment could not be determined, or null. */
export async function nextSettings(
  spec: RunSettings & { readonly name: string },
  ownUser: string,
): Promise<{ next: NextSettings; problem: string | null }> {
  const folder = resolve(spec.base_dir, spec.cwd);
  const { limits, scheduling, umask } = spec;
  // The kernel shows the folder of a process without symbolic links.
  const cwd = await realpath(folder).catch(() => folder);
  const next = { cwd, user: spec.user ?? ownUser, umask, limits, scheduling };
  try {
    const account = accountOf(spec.user);
    const { [RUN_MARKER]: _marker, ...environment } = await childEnvironment(spec, { marker: "", account, busUrl: null, variables: {} });
    return { next: { ...next, user: account?.name ?? next.user, environment }, problem: null };
  } catch (error) {
    return { next: { ...next, environment: null }, problem: messageOf(error) };
  }
}
