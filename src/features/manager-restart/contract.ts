import { z } from "zod";
import { count, session } from "../../contract/fields.ts";

/** Maximum length of the last output of a manager that is kept, UTF-16 code units. */
export const MAX_LAST_OUTPUT = 2_048;

const absolute = z.string().startsWith("/");
const pid = z.int().min(1);

/** The command that starts a manager in the background. Its environment may have secrets: daemons keep it in memory only. */
const launch = z.object({
  executable: absolute,
  args: z.array(z.string()).max(4_096),
  cwd: absolute,
  environment: z.record(z.string(), z.string()),
});
export type Launch = z.infer<typeof launch>;

/** State of the manager that a daemon hands to its next program; `pid` is null while there is none. Null: none is to be started again. */
export const keptManager = z.object({ launch, pid: pid.nullable(), failures: count }).nullable();
export type KeptManager = z.infer<typeof keptManager>;

/** How an earlier manager ended, and how often it had to be started until this one served its clients. */
const endedManager = z.object({
  pid,
  /** Wall clock of the host, milliseconds since 1970. */
  at: z.number(),
  /** A signal's name or an exit code; null: not known, because it was no child of the daemon. */
  how: z.string().nullable(),
  /** The end of its standard error; "": it wrote nothing there. */
  last_output: z.string().max(MAX_LAST_OUTPUT),
  starts: count,
});
export type EndedManager = z.infer<typeof endedManager>;

export const MANAGER_RESTART_REQUESTS = {
  /**
   * Starts the manager with this pid again, by this command, when it ends before `release_manager`. Answers with the end of the manager that it
   * replaces, once; null: it replaces none. `forbidden`: this host cannot start managers.
   */
  keep_manager: {
    request: z.object({ session, pid, launch }),
    response: z.object({ replaced: endedManager.nullable() }),
  },
  /** The manager ends because a user wants it, or is not to be started again. */
  release_manager: { request: z.object({ session }), response: z.object({}) },
} as const;
