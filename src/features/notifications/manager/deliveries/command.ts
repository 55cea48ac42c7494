import { spawn } from "node:child_process";
import { messageOf } from "../../../../base/errors.ts";
import { visible } from "../../../../base/text/visible-text.ts";
import type { CommandWay } from "../../config-ways.ts";
import type { Notification } from "../../notification.ts";
import type { Outcome } from "./outcome.ts";

/** Bytes of the error output that are kept. */
const MAX_ERROR_BYTES = 4_096;
const MAX_SHOWN_CHARS = 200;
/** Variables of the manager that the program gets. */
const PASSED = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "TMPDIR", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"];

interface CommandRequest {
  readonly way: CommandWay;
  readonly notification: Notification;
  readonly instance: string;
  /** Folder in which it runs. */
  readonly base: string;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
}

/** Runs a program with the notification as JSON on its stdin; exit code 0 means that it was sent. Never rejects. */
export function sendCommand({ way, notification, instance, base, signal }: CommandRequest): Promise<Outcome> {
  const [program = "", ...args] = way.run;
  const end = AbortSignal.any([signal, AbortSignal.timeout(way.timeout)]);
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: base,
      env: environmentOf(notification, instance),
      stdio: ["pipe", "ignore", "pipe"],
      detached: true,
    });
    let errors = "";
    const kill = () => {
      // It leads a process group of its own: what it started ends with it.
      if (child.pid !== undefined) killGroup(child.pid);
      // A program that has left the group may keep the pipe open.
      child.stderr.destroy();
    };
    const done = (outcome: Outcome) => {
      end.removeEventListener("abort", kill);
      kill();
      resolve(outcome);
    };
    end.addEventListener("abort", kill, { once: true });
    if (end.aborted) kill();
    child.stderr.on("data", (data: Buffer) => {
      if (errors.length < MAX_ERROR_BYTES) errors += data.toString("utf8").slice(0, MAX_ERROR_BYTES - errors.length);
    });
    // A program may end without reading its input.
    child.stdin.on("error", () => undefined);
    child.stdin.end(`${JSON.stringify({ instance, ...notification })}\n`);
    child.on("error", (error) => done({ kind: "again", text: visible(`it could not be run: ${messageOf(error)}`) }));
    child.on("exit", (code, killed) => {
      if (code === 0) return done({ kind: "sent", text: "exited with code 0" });
      const how = end.aborted
        ? `killed after ${way.timeout / 1_000} s`
        : killed === null
          ? `exited with code ${code}`
          : `killed by ${killed}`;
      const last = visible(errors.trim().split("\n").at(-1) ?? "").slice(0, MAX_SHOWN_CHARS);
      done({ kind: "again", text: last === "" ? how : `${how}: ${last}` });
    });
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group has ended.
  }
}

function environmentOf({ key }: Notification, instance: string): NodeJS.ProcessEnv {
  const passed = PASSED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]] as const]));
  return { ...Object.fromEntries(passed), MGR_NOTIFICATION_KEY: key, MGR_NOTIFICATION_INSTANCE: instance };
}
