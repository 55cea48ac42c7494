import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { messageOf } from "../../base/errors.ts";
import { resolvesWithin } from "../../base/wait.ts";
import { RUN_MARKER } from "../process/environment.ts";
import { GUARD_NAME, GUARD_SCRIPT, GUARD_VARIABLE } from "./guard-script.ts";
import { RUN_DIGITS, tagPrefix } from "./run-tag.ts";
import type { RunObserver } from "./tree-reaper.ts";

/** Delay between the death of a guard and the start of the next one, milliseconds: without it, a broken /bin/sh would cause a busy loop. */
const REPLACE_MS = 200;
/** Time limit for a guard to end after `bye`, milliseconds. */
const END_MS = 2_000;
/** Maximum number of unmarked processes in a line: the pipe has to accept the line at once. */
const MAX_UNMARKED = 5_000;

interface GuardOptions {
  /** Marker of the runs that it guards: their environment has `MGR_RUN=<marker>:<run_id>`. */
  marker: string;
  /** Paths of its host's lock file: they identify the guard of a killed host. */
  locks?: readonly string[];
  /** The cgroup that the runs are in (cgroups.ts), removed after them; null: none. */
  cgroup?: string | null;
  log: (msg: string) => void;
}

/**
 * A small shell script in its own session. If this process is killed, the guard kills its runs within a few moments
 * (docs/design/runtime-invariants.md, "Guard"). Every run is reported to it over a pipe, whose end of file means that this process has
 * died. A guard that dies is replaced.
 */
export class Guard implements RunObserver {
  readonly #options: GuardOptions;
  readonly #runs = new Map<string, string>();
  readonly #leaders = new Map<string, number>();
  /** The run reported last for each pid: a pid may be used again before its first run is extinct. */
  readonly #sent = new Map<number, string>();
  #unmarked = "";
  #child: ChildProcess | null = null;
  #replacing: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /** Starts the guard unless it is running. Also called by the first run. */
  start(): void {
    if (this.#child !== null || this.#replacing !== null || this.#isClosed) return;
    const child = startGuard(this.#options.marker, this.#options.locks);
    this.#child = child;
    child.once("error", (error) => this.#lost(child, messageOf(error)));
    child.once("exit", (code, signal) => this.#lost(child, signal ?? `exit code ${code}`));
    // A dying guard breaks the pipe; `exit` reports its end.
    child.stdin?.on("error", () => {});
    if (this.#options.cgroup) this.#send(`cgroup ${this.#options.cgroup}\n`);
    for (const line of this.#runs.values()) this.#send(line);
    if (this.#unmarked !== "") this.#send(this.#unmarked);
  }

  /** Pids that must never be killed as part of a tree. */
  get pids(): number[] {
    return this.#child?.pid === undefined ? [] : [this.#child.pid];
  }

  runStarted({ runId, pid, startTime }: { runId: string; pid: number; startTime: string }): void {
    const line = `run ${pid} ${startTime}\n`;
    this.#runs.set(runId, line);
    this.#leaders.set(runId, pid);
    this.#sent.set(pid, runId);
    if (this.#child) this.#send(line);
    else this.start();
  }

  runEnded(runId: string): void {
    const pid = this.#leaders.get(runId);
    this.#runs.delete(runId);
    this.#leaders.delete(runId);
    if (pid === undefined || this.#sent.get(pid) !== runId) return;
    this.#sent.delete(pid);
    this.#send(`end ${pid}\n`);
  }

  unmarked(processes: readonly { pid: number; startTime: string }[]): void {
    const list = processes.slice(0, MAX_UNMARKED).map(({ pid, startTime }) => `${pid}:${startTime}`);
    this.#unmarked = `unmarked ${list.join(" ")}\n`;
    this.#send(this.#unmarked);
  }

  /** Ends the guard without any killing. Resolves when it has exited. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#replacing) clearTimeout(this.#replacing);
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.removeAllListeners("exit");
    const ended = once(child, "exit");
    child.stdin?.end("bye\n");
    if (await resolvesWithin(ended, END_MS)) return;
    child.kill("SIGKILL");
    await ended;
  }

  #send(line: string): void {
    if (this.#child?.stdin?.writable) this.#child.stdin.write(line);
  }

  #lost(child: ChildProcess, how: string): void {
    if (this.#child !== child || this.#isClosed) return;
    this.#child = null;
    this.#options.log(`the guard (pid ${child.pid}) ended: ${how}; a new one is started`);
    this.#replacing = setTimeout(() => {
      this.#replacing = null;
      this.start();
    }, REPLACE_MS);
    this.#replacing.unref();
  }
}

/** Kills the remaining processes of the runs of an earlier host that did not end properly; resolves when none is left. */
export async function killLeftovers(marker: string, cgroup: string | null = null): Promise<void> {
  const child = startGuard(marker);
  const ended = once(child, "exit");
  child.stdin?.end(cgroup === null ? "" : `cgroup ${cgroup}\n`);
  await ended;
}

function startGuard(marker: string, locks: readonly string[] = []): ChildProcess {
  const { PATH } = process.env;
  const tag = `${tagPrefix(marker)}${"[0-9]".repeat(RUN_DIGITS)}`;
  // Within another instance's tree, the guard stays recognisable as a part of that tree.
  const outer = process.env[RUN_MARKER];
  const child = spawn("/bin/sh", ["-c", `eval "$${GUARD_VARIABLE}"`, GUARD_NAME, marker, tag, ...locks], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: {
      PATH: PATH ?? "/usr/bin:/bin",
      LC_ALL: "C",
      [GUARD_VARIABLE]: GUARD_SCRIPT,
      ...(outer === undefined ? {} : { [RUN_MARKER]: outer }),
    },
  });
  // An embedding program may end without closing the guard, which then kills the runs.
  child.unref();
  (child.stdin as { unref?: () => void } | null)?.unref?.();
  return child;
}
