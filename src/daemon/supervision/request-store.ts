import { rmSync, statSync, utimesSync } from "node:fs";
import { z } from "zod";
import { messageOf } from "../../base/errors.ts";
import { runId } from "../../contract/fields.ts";
import type { HostLogWriter } from "../../contract/messages.ts";
import { runSpec } from "../../contract/run.ts";
import { ON_BOOT } from "../../contract/supervision.ts";
import { readJsonState } from "../../files/json-state-file.ts";
import { writeFileAtomically } from "../../files/replace-file.ts";

/** Maximum size of the file, bytes: a process takes 1 to 5 kB. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Processes to start, each as the run that comes next. */
export const keptProcesses = z.array(z.strictObject({ run_id: runId, spec: runSpec }));

const saved = z.strictObject({
  version: z.literal(1),
  /** The boot of the machine in which it was written. */
  boot_id: z.string(),
  on_boot: z.enum(ON_BOOT),
  /** Maximum number of starts in a second; null: no limit. */
  start_rate: z.number().positive().nullable(),
  /** Number of daemons in a row that started these processes without a manager, and ended soon after it. */
  tries: z.int().min(0),
  processes: keptProcesses,
});
export type SavedRequests = z.infer<typeof saved>;

/** The place in which a host keeps what is requested of it, for the daemon after the next boot. */
export interface RequestStore {
  /** The content, and the time since a daemon confirmed it last, milliseconds of the wall clock; null: there is none. */
  read(): { readonly content: SavedRequests; readonly age: number } | null;
  /** Replaces the content as a whole. */
  write(text: string): Promise<void>;
  /** Confirms that the content is valid. */
  touch(): void;
  remove(): void;
}

/** A file of the state folder, mode 0600: specs have the environment of processes. */
export function requestFile(path: string, { now, log }: { now: () => number; log: HostLogWriter }): RequestStore {
  return {
    read: () => {
      const age = now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
      const content = readJsonState<SavedRequests | null>(path, {
        schema: saved.nullable(),
        empty: null,
        lost: "what was requested before is not started without a manager",
        warn: (msg) => log("warning", msg),
        maxBytes: MAX_FILE_BYTES,
      });
      return content === null ? null : { content, age };
    },
    write: async (text) => {
      await writeFileAtomically(path, text);
    },
    touch: () => {
      try {
        const seconds = now() / 1_000;
        utimesSync(path, seconds, seconds);
      } catch (error) {
        log("debug", `${path} could not be touched: ${messageOf(error)}`);
      }
    },
    remove: () => rmSync(path, { force: true }),
  };
}
