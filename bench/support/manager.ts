import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { WebSocket } from "ws";
import { Client } from "./client.ts";
import { cpuMs } from "./cpu.ts";
import { sleep } from "./figure.ts";

/** The built program, as users run it; MGR_BENCH_PROGRAM names another build, MGR_BENCH_NODE_OPTIONS e.g. what profiles it. */
const PROGRAM = process.env.MGR_BENCH_PROGRAM ?? fileURLToPath(new URL("../../bin/mgr.js", import.meta.url));
const execute = promisify(execFile);
const USER = "bench";
const PASSWORD = "bench";
const PROCESSES_PER_FILE = 10_000;

export interface ProcessSettings {
  readonly command: string | readonly string[];
  readonly [setting: string]: unknown;
}

interface BenchOptions {
  readonly hosts?: readonly string[];
  readonly loggers?: object;
  readonly audit?: { readonly enabled?: boolean };
  readonly flight?: object;
  /** Address of the nats-server that carries the other hosts; default: the manager's own broker. */
  readonly bus?: string | undefined;
  /** Port of the manager on the loopback interface; default: any. */
  readonly port?: number;
  /** `mgr up --detach`: the manager replaces its program by itself. */
  readonly isDetached?: boolean;
  readonly prepare?: (state: string) => Promise<void>;
}

/** A real manager with its host daemon, in a folder of its own. Disposing of it stops everything that it runs. */
export class BenchManager implements AsyncDisposable {
  readonly url: string;
  readonly dir: string;
  /** Null if it is detached. */
  readonly #child: ChildProcess | null;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #clients: WebSocket[] = [];
  readonly #daemons: ChildProcess[] = [];

  private constructor(parts: { url: string; dir: string; child: ChildProcess | null; environment: NodeJS.ProcessEnv }) {
    this.url = parts.url;
    this.dir = parts.dir;
    this.#child = parts.child;
    this.#environment = parts.environment;
  }

  /**
   * `hosts`: names of other hosts; `<dir>/<name>.token` then has the token of each. `loggers`, `audit` and
   * `flight`: of the configuration. `prepare` fills the state folder.
   */
  static async up(
    processes: Record<string, ProcessSettings>,
    { hosts = [], loggers = {}, audit = {}, flight, bus, port = 0, isDetached = false, prepare }: BenchOptions = {},
  ): Promise<BenchManager> {
    const dir = mkdtempSync(join(tmpdir(), "mgr-bench-"));
    const runtime = join(dir, "run");
    mkdirSync(runtime, { mode: 0o700 });
    writeFileSync(join(dir, "keys"), `${USER} ${PASSWORD}\n`, { mode: 0o600 });
    const instance = { name: "bench", manager: `127.0.0.1:${port}`, webui_auth_file: "keys", state_dir: "state", bus };
    const config = join(dir, "mgr.yaml");
    for (const host of hosts) writeFileSync(join(dir, `${host}.token`), `${randomBytes(24).toString("hex")}\n`, { mode: 0o600 });
    const settings = Object.fromEntries(hosts.map((host) => [host, { token_file: `${host}.token` }]));
    // A file may have 4 MiB, so many processes are in files of their own.
    const all = Object.entries(processes);
    const include: string[] = [];
    for (let first = 0; first < all.length; first += PROCESSES_PER_FILE) {
      const some = Object.fromEntries(all.slice(first, first + PROCESSES_PER_FILE));
      const file = `processes-${first}.yaml`;
      writeFileSync(join(dir, file), JSON.stringify({ processes: some }));
      include.push(file);
    }
    writeFileSync(config, JSON.stringify({ instance, hosts: settings, loggers, audit, flight, include }));
    await prepare?.(join(dir, "state"));
    const { PATH, MGR_BENCH_NODE_OPTIONS: NODE_OPTIONS } = process.env;
    const environment = { PATH, HOME: dir, LANG: "C.UTF-8", XDG_RUNTIME_DIR: runtime, NODE_OPTIONS };
    const child = spawn(process.execPath, [PROGRAM, "up", isDetached ? "--detach" : "--no-output", "-c", config], {
      cwd: dir,
      env: environment,
      stdio: ["ignore", "pipe", "ignore"],
    });
    if (isDetached) await once(child.stdout.resume(), "close");
    else await untilUp(child);
    const file = join(dir, "state/manager.url");
    if (!existsSync(file)) throw new Error("the manager did not come up");
    const url = readFileSync(file, "utf8").trim().replace(/^http/, "ws");
    return new BenchManager({ url, dir, child: isDetached ? null : child, environment });
  }

  /** Runs a command of the program; resolves with what it prints. Rejects if it fails. */
  async mgr(command: string, ...args: string[]): Promise<string> {
    const words = [PROGRAM, command, "-c", join(this.dir, "mgr.yaml"), ...args];
    return (await execute(process.execPath, words, { cwd: this.dir, env: this.#environment })).stdout;
  }

  /** Starts the daemon of another host, one of `hosts`, and resolves with its state folder once it has a bus. */
  async daemon(host: string): Promise<string> {
    const state = join(this.dir, `state-${host}`);
    const args = ["daemon", "--host", host, "--bus", this.url, "--token-file", join(this.dir, `${host}.token`), "--state-dir", state];
    const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: this.dir, env: this.#environment, stdio: "ignore" });
    this.#daemons.push(child);
    while (!existsSync(join(state, "bus.url"))) {
      if (child.exitCode !== null) throw new Error(`the daemon of ${host} ended with ${child.exitCode}`);
      await sleep(20);
    }
    return state;
  }

  get authorization(): string {
    return `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString("base64")}`;
  }

  async connect(): Promise<Client> {
    const client = await Client.open(`${this.url}/ws`, { authorization: this.authorization });
    this.#clients.push(client.ws);
    return client;
  }

  /** The longest that its event loop was late since the last question, milliseconds. */
  async longestDelay(): Promise<number> {
    const answer = await fetch(`${this.url.replace(/^ws/, "http")}/mgr/metrics`, { headers: { authorization: this.authorization } });
    return Math.round(1_000 * Number(/^mgr_event_loop_delay_seconds\{quantile="1"\} (\S+)$/m.exec(await answer.text())?.[1]));
  }

  /** Resident memory of its two programs, MiB. */
  memory(): { manager: number; daemon: number } {
    const of = (pid: number) => Math.round(Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) / 1_024);
    return { manager: of(this.#pid("manager")), daemon: of(this.#pid("daemon")) };
  }

  /** Processor time of its two programs so far, milliseconds. */
  cpu(): { manager: number; daemon: number } {
    return { manager: cpuMs(this.#pid("manager")), daemon: cpuMs(this.#pid("daemon")) };
  }

  /** Pids of its two programs. */
  programs(): number[] {
    return [this.#pid("manager"), this.#pid("daemon")];
  }

  #pid(program: "manager" | "daemon"): number {
    return (JSON.parse(readFileSync(join(this.dir, `state/${program}.lock`), "utf8")) as { pid: number }).pid;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const ws of this.#clients) ws.terminate();
    if (this.#child === null) await this.mgr("down");
    for (const child of this.#child === null ? this.#daemons : [...this.#daemons, this.#child]) {
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      if (child.exitCode === null) await gone;
    }
    rmSync(this.dir, { recursive: true, force: true });
  }
}

async function untilUp(child: ChildProcess): Promise<void> {
  let printed = "";
  await new Promise<void>((resolve, reject) => {
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      // What follows is its log: it has to be read on, or it would wait for us.
      if (printed.includes(" is up at ")) return;
      printed += text;
      if (printed.includes(" is up at ")) resolve();
    });
    child.once("exit", (code) => reject(new Error(`the manager ended with ${code}: ${printed}`)));
  });
}
