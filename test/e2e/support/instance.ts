import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { LockInfo } from "../../../src/daemon/session/lock.ts";
import { killIfThere } from "../../support/processes.ts";
import { Client } from "./client.ts";
import { LastResort } from "./last-resort.ts";
import { type Living, MARK, markedProcesses, startTime } from "./marked.ts";
import { eventually } from "./wait.ts";

/** The built program. */
export const PROGRAM = fileURLToPath(new URL("../../../bin/mgr.js", import.meta.url));

/** A configuration as a user writes it; JSON is YAML, too. */
export interface Configuration {
  instance?: Record<string, unknown>;
  defaults?: { environment?: Record<string, string>; [key: string]: unknown };
  groups?: Record<string, unknown>;
  displays?: Record<string, unknown>;
  access?: Record<string, unknown>;
  hosts?: Record<string, unknown>;
  audit?: Record<string, unknown>;
  notifications?: object;
  modes?: Record<string, unknown>;
  flight?: Record<string, unknown>;
  store_forward?: Record<string, unknown>;
  processes: Record<string, unknown>;
}

/** What a command of the program did. */
export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `mgr up` in the foreground. */
export class Foreground {
  readonly child: ChildProcess;
  readonly ended: Promise<Outcome>;
  #stdout = "";
  #stderr = "";

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.setEncoding("utf8").on("data", (text) => {
      this.#stdout += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text) => {
      this.#stderr += text;
    });
    this.ended = once(child, "close").then(([code, signal]) => ({ code, signal, stdout: this.#stdout, stderr: this.#stderr }));
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Resolves once it says that it is up; rejects when it ends before. */
  async up(): Promise<void> {
    const early = this.ended.then(({ code, stdout, stderr }) => {
      throw new Error(`mgr up ended with ${code}:\n${stdout}\n${stderr}`);
    });
    const ready = eventually("mgr up says that it is up", () => / is up at /.test(this.#stdout));
    await Promise.race([ready, early]);
    // Its end is awaited by whoever ends it.
    early.catch(() => {});
  }
}

/**
 * One instance of the built program in a folder of its own, on a free port. Ending it kills its manager and its daemon
 * by pid, and fails if anything that carries its mark lives on.
 */
export class Instance {
  readonly dir: string;
  readonly config: string;
  readonly stateDir: string;
  readonly authFile: string;
  readonly user = "ada";
  readonly password = "correct horse:battery";
  /** Headers of a request that logs in. */
  readonly login = { authorization: `Basic ${Buffer.from(`${this.user}:${this.password}`).toString("base64")}` };
  /** What every process of the instance carries in its environment. */
  readonly mark = randomUUID();
  /** Goes along with what the program's commands run with. */
  readonly extra: Record<string, string> = {};
  /** The Node that runs the program. */
  node = process.execPath;
  /** Hard limit on open files of what is started; the soft one is half of it. */
  openFiles: number | null = null;
  readonly #env: NodeJS.ProcessEnv;
  readonly #clients: Client[] = [];
  readonly #children: ChildProcess[] = [];
  readonly #lastResort: LastResort;

  /** `dir` is a new folder, unless one is given; either way it is removed at the end. */
  constructor(configuration: Configuration, dir = mkdtempSync(join(tmpdir(), "mgr-e2e-"))) {
    this.dir = dir;
    this.config = join(this.dir, "mgr.yaml");
    this.stateDir = join(this.dir, "state");
    this.authFile = join(this.dir, "webui.keys");
    const runtime = join(this.dir, "run");
    mkdirSync(runtime, { mode: 0o700 });
    writeFileSync(this.authFile, `${this.user} ${this.password}\n`, { mode: 0o600 });
    this.#env = { PATH: process.env.PATH, HOME: this.dir, LANG: "C.UTF-8", XDG_RUNTIME_DIR: runtime, [MARK]: this.mark };
    this.write(configuration);
    this.#lastResort = new LastResort(this.mark, this.dir);
  }

  /** An instance that runs in the foreground. */
  static async up(configuration: Configuration, ...args: string[]): Promise<Instance & { foreground: Foreground }> {
    const instance = new Instance(configuration);
    try {
      // Floods in tests are for their viewers.
      const foreground = instance.start("up", "--no-output", "-c", instance.config, ...args);
      await foreground.up();
      return Object.assign(instance, { foreground });
    } catch (error) {
      await instance[Symbol.asyncDispose]();
      throw error;
    }
  }

  write({ instance, defaults, ...rest }: Configuration): void {
    const configuration = {
      instance: {
        name: "e2e",
        manager: "localhost:0",
        webui_auth_file: "webui.keys",
        state_dir: "state",
        // Tests kill managers, and examine what happens without one.
        restart_manager: false,
        ...instance,
      },
      // Children inherit only what they are given: without this a lost one could not be told from a foreign process.
      defaults: { ...defaults, environment: { [MARK]: this.mark, ...defaults?.environment } },
      ...rest,
    };
    writeFileSync(this.config, JSON.stringify(configuration, null, 2));
  }

  /** What the program's own commands run with. */
  get environment(): Record<string, string> {
    return Object.fromEntries(Object.entries(this.#env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  }

  /** Starts the program without waiting for it. */
  start(...args: string[]): Foreground {
    const limits = this.openFiles === null ? [] : limitedTo(this.openFiles);
    const [program = "", ...rest] = [...limits, this.node, PROGRAM, ...args];
    const child = spawn(program, rest, {
      cwd: this.dir,
      env: { ...this.#env, ...this.extra },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#children.push(child);
    return new Foreground(child);
  }

  /** Runs a command of the program to its end. */
  async run(...args: string[]): Promise<Outcome> {
    return this.start(...args).ended;
  }

  /** Runs a command on this configuration and insists that it succeeds. */
  async mgr(command: string, ...args: string[]): Promise<Outcome> {
    const outcome = await this.run(command, "-c", this.config, ...args);
    if (outcome.code !== 0) throw new Error(`mgr ${command} ended with ${outcome.code}:\n${outcome.stdout}\n${outcome.stderr}`);
    return outcome;
  }

  get url(): string {
    return readFileSync(join(this.stateDir, "manager.url"), "utf8").trim();
  }

  get basic(): string {
    return `Basic ${Buffer.from(`${this.user}:${this.password}`).toString("base64")}`;
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(new URL(path, this.url), { ...init, headers: { authorization: this.basic, ...(init.headers as Record<string, string>) } });
  }

  async connect(query = "", authorization = this.basic): Promise<Client> {
    const client = await Client.open(`${this.url.replace(/^http/, "ws")}/ws${query}`, { authorization });
    this.#clients.push(client);
    return client;
  }

  /** A file in the instance's folder, where its processes run. */
  read(file: string): string {
    return readFileSync(join(this.dir, file), "utf8");
  }

  /** Pid of who holds a lock, or null. */
  pidOf(who: "manager" | "daemon"): number | null {
    const file = join(this.stateDir, `${who}.lock`);
    // Its holder may be about to write its line.
    const [line, ...rest] = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
    if (line === undefined || rest.length === 0) return null;
    const { pid, start_time } = JSON.parse(line) as { pid: number; start_time: string };
    return startTime(pid) === start_time ? pid : null;
  }

  /** What stands in a lock file. */
  lockOf(who: "manager" | "daemon"): LockInfo {
    return JSON.parse(readFileSync(join(this.stateDir, `${who}.lock`), "utf8")) as LockInfo;
  }

  kill(who: "manager" | "daemon", signal: NodeJS.Signals = "SIGKILL"): number {
    const pid = this.pidOf(who);
    if (pid === null) throw new Error(`there is no ${who} to kill`);
    process.kill(pid, signal);
    return pid;
  }

  /** Everything of this instance that lives: manager, daemon, guard, children and theirs. */
  living(): Living[] {
    return markedProcesses(this.mark);
  }

  async untilExtinct(): Promise<void> {
    await eventually("nothing of the instance is alive", () => this.living().length === 0).catch((error: Error) => {
      throw new Error(`${error.message}; alive: ${JSON.stringify(this.living(), null, 2)}`);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const problems = this.#clients.flatMap((client) => client.problems);
    for (const client of this.#clients) client.ws.terminate();
    for (const who of ["manager", "daemon"] as const) killIfThere(this.pidOf(who));
    for (const child of this.#children) if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    try {
      await this.untilExtinct();
    } finally {
      // Only what carries this instance's own mark.
      for (const { pid } of this.living()) killIfThere(pid);
      await this.#lastResort.dismiss();
      // A process that was killed may end a call of the kernel that makes a file, when it has no environment any more.
      rmSync(this.dir, { recursive: true, force: true, maxRetries: 10 });
    }
    if (problems.length > 0) throw new Error(`frames that do not conform to the tables:\n${[...new Set(problems)].join("\n")}`);
  }
}

/** What runs its arguments with limits on open files. */
function limitedTo(openFiles: number): string[] {
  return ["/bin/sh", "-c", `ulimit -Sn ${Math.floor(openFiles / 2)}; ulimit -Hn ${openFiles}; exec "$@"`, "sh"];
}
