import { spawnSync } from "node:child_process";

/** Above the numbers that accounts get by themselves, so that no file of the machine belongs to one of these, and below the limit for groups of the same number. */
const [FIRST_UID, UIDS] = [20_000, 40_000];

/** Another user of this machine, in no group of others. Needs root; the account is removed at the end. */
export class SecondUser {
  /** Differs between processes that run tests: files that run at the same time must not share a user. */
  readonly uid = FIRST_UID + (process.pid % UIDS);
  readonly name = `mgr-test-${process.pid}`;

  constructor() {
    // A run that was killed leaves its account, and process ids come again.
    run("userdel", this.name);
    succeed("useradd", "--uid", String(this.uid), "--user-group", "--no-create-home", "--shell", "/bin/sh", this.name);
  }

  /** Runs a line of the shell as this user; the result of its end. */
  run(line: string): { status: number | null; stdout: string; stderr: string } {
    const ids = [`--reuid=${this.uid}`, `--regid=${this.uid}`, "--clear-groups"];
    const { status, stdout, stderr } = spawnSync("setpriv", [...ids, "/bin/sh", "-c", line], {
      encoding: "utf8",
      cwd: "/",
      env: { PATH: process.env.PATH, HOME: "/nonexistent", LANG: "C.UTF-8" },
    });
    return { status, stdout, stderr };
  }

  /** What `find` lists of this folder with these tests, as this user. */
  find(folder: string, ...tests: string[]): string[] {
    return this.run(`find '${folder}' ${tests.join(" ")} 2>/dev/null`)
      .stdout.split("\n")
      .filter(Boolean);
  }

  [Symbol.dispose](): void {
    succeed("userdel", this.name);
  }
}

const run = (command: string, ...args: string[]) => spawnSync(command, args, { encoding: "utf8" });

function succeed(command: string, ...args: string[]): void {
  const { status, stderr, error } = run(command, ...args);
  if (status !== 0) throw error ?? new Error(`${command} ${args.join(" ")}: ${stderr}`);
}
