import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { NODE_OPTIONS } from "../../../app/local-daemon/prepared-daemon.ts";
import { diskFull, isDiskFull, messageOf } from "../../../base/errors.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { withTimeout } from "../../../base/timing/wait.ts";
import { CommandFailure, EXIT } from "../../command/exit-codes.ts";
import { END_SIGNALS } from "../../command/interrupt.ts";
import { DETACHED, type DetachedReport, openEmpty, type ServedReport, upCommand, withProfiles } from "./detached-manager.ts";
import type { UpFlags } from "./up-flags.ts";

/** Time limit for a detached manager to become ready, milliseconds: it may wait 10 s for a daemon's hello, and a machine under full load takes 30 s to start both. */
const DETACH_TIMEOUT_MS = 60_000;
/** Maximum number of characters kept of what the manager prints before it has its state folder: the problems of a configuration. */
const MAX_EARLY_CHARACTERS = 1024 * 1024;

/**
 * Starts a manager in the background, which alone reads the configuration (docs/decisions/0125). Resolves when it serves, or with "running" if one
 * already runs; rejects with its own error if it does not come up.
 */
export async function detach(names: readonly string[], flags: UpFlags): Promise<"served" | "running"> {
  const command = [...upCommand(flags), ...(flags.all ? ["--all"] : []), "--", ...names];
  const child = spawn(process.execPath, [...NODE_OPTIONS, ...command], {
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    env: { ...process.env, [DETACHED]: "1" },
  });
  // The child has its own session: without this it would continue to start after Ctrl-C here.
  const cancel = () => child.kill("SIGTERM");
  for (const signal of END_SIGNALS) process.on(signal, cancel);
  const late = () => {
    const waited = DETACH_TIMEOUT_MS / 1_000;
    return new CommandFailure(
      EXIT.timeout,
      `the manager (pid ${child.pid}) is not ready after ${waited} s and keeps trying; see manager.log, or stop it with 'mgr down'`,
    );
  };
  try {
    const outcome = await withTimeout(outcomeOf(child), DETACH_TIMEOUT_MS, late);
    if (outcome.kind === "served") printServed(outcome, child.pid);
    return outcome.kind;
  } finally {
    for (const signal of END_SIGNALS) process.off(signal, cancel);
    if (child.connected) child.disconnect();
    child.stderr?.destroy();
    child.unref();
  }
}

type Outcome = Exclude<DetachedReport, { kind: "begun" }>;

/** Resolves with the last report of a manager that starts; rejects with the reason that it gave if it ends before. */
function outcomeOf(child: ChildProcess): Promise<Outcome> {
  let early = "";
  let errors: string | null = null;
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    early = (early + text).slice(0, MAX_EARLY_CHARACTERS);
  });
  const reported = new Promise<Outcome>((resolve) => {
    child.on("message", (report: DetachedReport) => {
      if (report.kind === "begun") errors = report.errors;
      else resolve(report);
    });
  });
  // "close" comes after the last of its messages and of its output.
  const ended = once(child, "close").then(([code, signal]): never => {
    // The manager's errors begin with the command name, as those of this program do.
    const why = (errors === null ? early : early + readFileSync(errors, "utf8")).trim().replace(/^mgr: /, "");
    throw new CommandFailure(code ?? EXIT.failed, why === "" ? withoutWords(errors, signal) : why);
  });
  return Promise.race([reported, ended]);
}

function printServed({ name, url, profiles, hostProblem, loginProblem }: ServedReport, pid: number | undefined): void {
  console.log(`${visible(name)} is up at ${visible(url)}${withProfiles(profiles)} (pid ${pid}); 'mgr down' ends it`);
  if (hostProblem !== null) console.error(`mgr: ${visible(hostProblem)}`);
  if (loginProblem !== null) console.error(`mgr: all web logins are refused: ${visible(loginProblem)}`);
}

/** Explanation if the manager wrote no error: it was killed, or the disk is full. `errors`: the file of its errors; null: it had none yet. */
function withoutWords(errors: string | null, signal: NodeJS.Signals | null): string {
  if (errors === null) return signal === null ? "the manager did not start" : `the manager was ended by ${signal}; nothing was started`;
  try {
    const fd = openEmpty(errors);
    try {
      writeFileSync(fd, `${" ".repeat(8_191)}\n`);
    } finally {
      closeSync(fd);
    }
    return "the manager did not start; see manager.log";
  } catch (error) {
    if (isDiskFull(error)) return diskFull(dirname(errors), error).message;
    return `the manager did not start, and could not report the reason: cannot write ${errors}: ${messageOf(error)}`;
  }
}
