import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type Outcome, PROGRAM } from "./instance.ts";
import { eventually } from "./wait.ts";

/** Systemd moves what it finds in its cgroup. So it gets one of its own, and sees no others: the machine's would be changed for all programs. */
const ENTER = `set -e
mkdir "$CGROUP"
echo $$ >"$CGROUP/cgroup.procs"
exec unshare --cgroup --mount --pid --fork --mount-proc --kill-child sh -c "$START"
`;
/**
 * A systemd for units of a user, with folders, a pid namespace and a cgroup of its own: it and everything that it starts end with it. It runs on
 * machines that were booted with systemd; the folder by which it knows them is there in its mount namespace.
 */
const START = `set -e
mount -t tmpfs none /sys/fs/cgroup
if [ -n "$HIERARCHY" ]; then
  mkdir /sys/fs/cgroup/systemd
  mount -t cgroup -o "none,name=$HIERARCHY" none /sys/fs/cgroup/systemd
else
  mount -t cgroup2 none /sys/fs/cgroup
fi
mount -t tmpfs none /run
mkdir -p /run/systemd/system
SYSTEMD_LOG_TARGET=console /lib/systemd/systemd --user >"$HOME/systemd.log" 2>&1 &
wait
`;

export class UserSystemd {
  readonly dir = mkdtempSync(join(tmpdir(), "mgr-systemd-"));
  readonly #env: NodeJS.ProcessEnv;
  readonly #cgroup: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  private constructor() {
    const runtime = join(this.dir, "run");
    mkdirSync(runtime, { mode: 0o700 });
    this.#env = { PATH: process.env.PATH, HOME: this.dir, LANG: "C.UTF-8", XDG_RUNTIME_DIR: runtime };
    // With version 1 of cgroups, systemd has a hierarchy without controllers.
    const hierarchy = existsSync("/sys/fs/cgroup/systemd") ? "systemd" : "";
    this.#cgroup = join("/sys/fs/cgroup", hierarchy, basename(this.dir));
    const env = { ...this.#env, CGROUP: this.#cgroup, HIERARCHY: hierarchy, START };
    this.#child = spawn("sh", ["-c", ENTER], { env, stdio: "ignore" });
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
    for (const folder of cgroupsIn(this.#cgroup)) await eventually(`${folder} is empty`, () => removed(folder));
    rmSync(this.dir, { recursive: true, maxRetries: 10 });
  }

  /** The first process of the namespace. */
  #inner(): number {
    const { pid } = this.#child;
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim());
  }
}

/** The folder of a cgroup and those below it, the deepest first. */
function cgroupsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const below = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [...below.flatMap(({ name }) => cgroupsIn(join(folder, name))), folder];
}

/** Whether the cgroup is gone: its processes end a moment after they were killed. */
function removed(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}
