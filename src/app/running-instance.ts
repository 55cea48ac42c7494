import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import type { Config, InstanceSettings } from "../config/definition.ts";
import { runtimeDir } from "../daemon/sockets.ts";

/** What the commands have to know of a manager to reach it and to end it. */
export type RunningInstance = Pick<InstanceSettings, "name" | "manager" | "state_dir" | "webui_auth_file" | "https_only">;

const note = z.object({
  name: z.string(),
  manager: z.object({ host: z.string(), port: z.number().int() }),
  state_dir: z.string(),
  webui_auth_file: z.string().nullable(),
  https_only: z.boolean(),
});

/**
 * Leaves a note of the manager that runs with this configuration, for commands that come while its file cannot be read:
 * who has broken it must still be able to stop what runs. Returns the way to take the note away. Never throws: nothing else depends on it.
 */
export function noteRunning({ file, instance }: Pick<Config, "file" | "instance">): () => void {
  if (file === null) return () => {};
  try {
    const path = pathOf(file);
    writeFileSync(path, `${JSON.stringify(note.parse(instance))}\n`, { mode: 0o600 });
    return () => rmSync(path, { force: true });
  } catch {
    return () => {};
  }
}

/** Of the manager that was started last with this configuration and has not ended in good order; null: none. */
export function runningInstance(file: string): RunningInstance | null {
  try {
    return note.parse(JSON.parse(readFileSync(pathOf(file), "utf8")));
  } catch {
    return null;
  }
}

function pathOf(file: string): string {
  return join(runtimeDir(), `${createHash("sha256").update(resolve(file)).digest("hex").slice(0, 16)}.json`);
}
