import { isText, isWhole, type Shape } from "../../base/shape.ts";

/** Name of the file in the state folder by which commands learn about a manager that is to be started again. */
export const STATUS_FILE = "manager-restart.json";

/** The state of a manager that ended unexpectedly, and when its daemon starts it again. It has no secrets of the manager's environment. */
export interface RestartStatus {
  /** Pid of the daemon: the status is outdated unless it runs. */
  readonly daemon_pid: number;
  /** Wall clock, milliseconds since 1970. */
  readonly ended_at: number;
  /** How it ended: a signal's name or an exit code; null: not known. */
  readonly how: string | null;
  /** When it is started again; null: it is being started, or is not started any more. */
  readonly next_at: number | null;
  /** Why it is not started any more; null: it is. */
  readonly problem: string | null;
}

export const RESTART_STATUS: Shape<RestartStatus> = {
  daemon_pid: isWhole,
  ended_at: isWhole,
  how: isTextOrNull,
  next_at: (value): value is number | null => value === null || isWhole(value),
  problem: isTextOrNull,
};

function isTextOrNull(value: unknown): value is string | null {
  return value === null || isText(value);
}
