import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import type { Writable } from "node:stream";
import { z } from "zod";
import { MgrError, messageOf } from "../../base/errors.ts";
import { poll, resolvesWithin } from "../../base/timing/wait.ts";
import { Child, ownChild } from "../process/child.ts";
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
  taken?: GuardState | undefined;
}

/** The guard of a daemon that replaces its program; null: it had none. */
export const guardState = z.object({ pid: z.int().min(1), pipe: z.int().min(3) }).nullable();
export type GuardState = z.infer<typeof guardState>;

/** A running guard: of this program, or of the one before it. */
interface RunningGuard {
  readonly pid: number;
  readonly pipe: Writable | null;
  kill(): void;
  /** Calls back once, when it has ended. */
  onEnd(ended: (how: string) => void): void;
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
  #running: RunningGuard | null = null;
  #replacing: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(options: GuardOptions) {
    this.#options = options;
    if (options.taken) this.#watch(adoptedGuard(options.taken));
  }

  /** Starts the guard unless it is running. Also called by the first run. */
  start(): void {
    if (this.#running !== null || this.#replacing !== null || this.#isClosed) return;
    this.#watch(startedGuard(startGuard(this.#options.marker, this.#options.locks)));
    if (this.#options.cgroup) this.#send(`cgroup ${this.#options.cgroup}\n`);
    for (const line of this.#runs.values()) this.#send(line);
    if (this.#unmarked !== "") this.#send(this.#unmarked);
  }

  /** Resolves when the guard has all lines. Rejects with `timeout` if it does not read them. */
  async quiet(): Promise<void> {
    const pipe = this.#running?.pipe;
    if (!pipe || (await poll(() => pipe.writableLength === 0 || pipe.destroyed, { everyMs: 1, forMs: END_MS }))) return;
    throw new MgrError("timeout", `the guard (pid ${this.#running?.pid}) does not read`);
  }

  handOver(): GuardState {
    const pipe = this.#running === null ? null : descriptorOf(this.#running.pipe);
    return this.#running === null || pipe === null ? null : { pid: this.#running.pid, pipe };
  }

  #watch(guard: RunningGuard): void {
    this.#running = guard;
    guard.onEnd((how) => this.#lost(guard, how));
    // A dying guard breaks the pipe; `onEnd` reports its end.
    guard.pipe?.on("error", () => {});
  }

  /** Pids that must never be killed as part of a tree. */
  get pids(): number[] {
    return this.#running === null || this.#running.pid === 0 ? [] : [this.#running.pid];
  }

  runStarted({ runId, pid, startTime }: { runId: string; pid: number; startTime: string }): void {
    const line = `run ${pid} ${startTime}\n`;
    this.#runs.set(runId, line);
    this.#leaders.set(runId, pid);
    this.#sent.set(pid, runId);
    if (this.#running) this.#send(line);
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
    const guard = this.#running;
    this.#running = null;
    if (guard === null) return;
    const ended = new Promise<void>((resolve) => guard.onEnd(() => resolve()));
    guard.pipe?.end("bye\n");
    if (await resolvesWithin(ended, END_MS)) return;
    guard.kill();
    await ended;
  }

  #send(line: string): void {
    if (this.#running?.pipe?.writable) this.#running.pipe.write(line);
  }

  #lost(guard: RunningGuard, how: string): void {
    if (this.#running !== guard || this.#isClosed) return;
    this.#running = null;
    this.#options.log(`the guard (pid ${guard.pid}) ended: ${how}; a new one is started`);
    this.#replacing = setTimeout(() => {
      this.#replacing = null;
      this.start();
    }, REPLACE_MS);
    this.#replacing.unref();
  }
}

function startedGuard(child: ChildProcess): RunningGuard {
  return {
    pid: child.pid ?? 0,
    pipe: child.stdin,
    kill: () => child.kill("SIGKILL"),
    onEnd(ended) {
      if (child.exitCode !== null || child.signalCode !== null) return ended("it has ended");
      child.once("error", (error) => ended(messageOf(error)));
      child.once("exit", (code, signal) => ended(signal ?? `exit code ${code}`));
    },
  };
}

function adoptedGuard({ pid, pipe }: NonNullable<GuardState>): RunningGuard {
  const child = Child.adopt(pid);
  const socket = new Socket({ fd: pipe, readable: false, writable: true });
  socket.unref();
  // Ends a line that was cut; all lines are sent again.
  socket.write("\n");
  return {
    pid,
    pipe: socket,
    kill: () => child.kill("SIGKILL"),
    onEnd: (ended) => {
      if (ownChild(pid) !== child) return ended("it has ended");
      child.once("exit", (code, signal) => ended(signal ?? `exit code ${code}`));
    },
  };
}

/** The descriptor of a pipe; null: it is closed. Node has no documented way to it. */
function descriptorOf(pipe: Writable | null): number | null {
  const handle = (pipe as { _handle?: { fd?: number } | null } | null)?._handle;
  return handle?.fd === undefined || handle.fd < 0 ? null : handle.fd;
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
