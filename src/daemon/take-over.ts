import { closeSync, existsSync, readFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { MgrError, messageOf } from "../base/errors.ts";
import type { HandedOver } from "../base/handed-over.ts";
import { parseJson } from "../base/json.ts";
import { type Handover, readHandover } from "./handover/handover-file.ts";
import { HOST_SECTION, hostState } from "./host-handover.ts";
import { takeLock } from "./session/lock.ts";
import { guardedReaperState } from "./tree/guarded-reaper.ts";

/** Number of the descriptor of the file that a replaced program has left. */
export const HANDOVER_VARIABLE = "MGR_HANDOVER";
/** The same, for a program that only says whether it can take over from its parent process. */
export const CHECK_VARIABLE = "MGR_HANDOVER_CHECK";

/** State of the daemon's own parts for the next program, besides host and features. */
export const daemonState = z.object({ stream_id: z.string() });

/** The answer of a program that can take over. */
export const takeOverAnswer = z.object({ takes_over: z.literal(true), version: z.string().nullable() });

/** The parts of a daemon that a replaced program has left. */
export interface TakenOver {
  readonly streamId: string;
  readonly lock: HandedOver;
  readonly reaper: HandedOver;
  /** Path of the cgroups of the runs; null: there are none. */
  readonly cgroup: string | null;
  /** Version of the replaced program; null: not known. */
  readonly program: string | null;
  readonly sections: Handover["sections"];
}

/** Returns what the program before this one has left, once; null: this process has just been started. Throws if it cannot be taken over. */
export function takenOver(): TakenOver | null {
  const variable = process.env[HANDOVER_VARIABLE];
  if (variable === undefined) return null;
  delete process.env[HANDOVER_VARIABLE];
  const fd = Number(variable);
  try {
    return checkedHandover(readHandover(fd, { isCopy: false }));
  } finally {
    closeSync(fd);
  }
}

/** Says whether this program could take over from its parent, and ends; returns if it is not asked. */
export function answerCheck(version: string | null): void {
  const variable = process.env[CHECK_VARIABLE];
  if (variable === undefined) return;
  try {
    checkedHandover(readHandover(Number(variable), { isCopy: true }));
    writeSync(1, JSON.stringify({ takes_over: true, version } satisfies z.infer<typeof takeOverAnswer>));
    process.exit(0);
  } catch (error) {
    writeSync(2, messageOf(error));
    process.exit(1);
  }
}

/** Checks all sections of the daemon's own parts, and throws `conflict`. Features drop what they cannot use. */
export function checkedHandover({ program, sections }: Handover): TakenOver {
  const section = <T>(name: string, schema: z.ZodType<T>): T => {
    const parsed = schema.safeParse(sections[name]?.state);
    if (parsed.success) return parsed.data;
    throw new MgrError(
      "conflict",
      `the state of the daemon cannot be taken over: its part '${name}' is not as expected: ${z.prettifyError(parsed.error)}`,
    );
  };
  const { stream_id: streamId } = section("daemon", daemonState);
  section(HOST_SECTION, hostState);
  const { cgroup } = section("reaper", guardedReaperState);
  const { lock, reaper } = sections;
  if (lock === undefined || reaper === undefined)
    throw new MgrError("conflict", "the state of the daemon cannot be taken over: it has no lock");
  takeLock(lock);
  return { streamId, lock, reaper, cgroup, program, sections };
}

/** Version of the package that has this file of a program; null: not known. */
export function versionOf(program: string): string | null {
  for (let folder = dirname(program); ; folder = dirname(folder)) {
    const path = join(folder, "package.json");
    if (existsSync(path))
      return z.object({ version: z.string().max(64) }).safeParse(parseJson(readFileSync(path, "utf8"))).data?.version ?? null;
    if (folder === dirname(folder)) return null;
  }
}
