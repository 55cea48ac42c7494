import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Outcome, PROGRAM } from "./instance.ts";
import { eventually } from "./wait.ts";

/**
 * A systemd for units of a user, with folders and a pid namespace of its own: it and everything that it starts end with it. It runs on machines that
 * were booted with systemd; the folder by which it knows them is there in its mount namespace.
 */
const START = `set -e
mount -t tmpfs none /run
mkdir -p /run/systemd/system
SYSTEMD_LOG_TARGET=console /lib/systemd/systemd --user >"$HOME/systemd.log" 2>&1 &
wait
`;

export class UserSystemd {
  readonly dir = mkdtempSync(join(tmpdir(), "mgr-systemd-"));
  readonly #env: NodeJS.ProcessEnv;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  private constructor() {
    const runtime = join(this.dir, "run");
    mkdirSync(runtime, { mode: 0o700 });
    this.#env = { PATH: process.env.PATH, HOME: this.dir, LANG: "C.UTF-8", XDG_RUNTIME_DIR: runtime };
    const namespaces = ["--mount", "--pid", "--fork", "--mount-proc", "--kill-child"];
    this.#child = spawn("unshare", [...namespaces, "sh", "-c", START], { env: this.#env, stdio: "ignore" });
    this.#ended = once(this.#child, "exit");
  }

  static async start(): Promise<UserSystemd> {
    const systemd = new UserSystemd();
    try {
      await eventually(
        "systemd has read its units",
        async () => (await systemd.run("systemctl", "--user", "is-system-running")).code === 0,
      );
      return systemd;
    } catch (error) {
      const log = readFileSync(join(systemd.dir, "systemd.log"), "utf8");
      await systemd[Symbol.asyncDispose]();
      throw new Error(`systemd did not start:\n${log}`, { cause: error });
    }
  }

  write(name: string, text: string): string {
    const path = join(this.dir, name);
    writeFileSync(path, text);
    return path;
  }

  /** Runs a command beside systemd. */
  async run(...command: string[]): Promise<Outcome> {
    const inside = ["--target", String(this.#inner()), "--mount", "--pid", `--wd=${this.dir}`, ...command];
    return new Promise((resolve) =>
      execFile("nsenter", inside, { env: this.#env, cwd: this.dir }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), signal: null, stdout, stderr }),
      ),
    );
  }

  mgr(...args: string[]): Promise<Outcome> {
    return this.run(process.execPath, PROGRAM, ...args);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
    rmSync(this.dir, { recursive: true, maxRetries: 10 });
  }

  /** The first process of the namespace. */
  #inner(): number {
    const { pid } = this.#child;
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim());
  }
}
