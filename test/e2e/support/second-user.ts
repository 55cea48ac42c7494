import { spawnSync } from "node:child_process";

/** Far from the numbers that accounts get by themselves, so that no file of the machine belongs to it. */
const UID = 54_321;

/** Another user of this machine, in no group of others. Needs root; the account is removed at the end. */
export class SecondUser {
  readonly uid = UID;
  readonly name = `mgr-test-${process.pid}`;

  constructor() {
    succeed("useradd", "--uid", String(UID), "--user-group", "--no-create-home", "--shell", "/bin/sh", this.name);
  }

  /** Runs a line of the shell as this user; the result of its end. */
  run(line: string): { status: number | null; stdout: string; stderr: string } {
    const ids = [`--reuid=${UID}`, `--regid=${UID}`, "--clear-groups"];
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

function succeed(command: string, ...args: string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw error ?? new Error(`${command} ${args.join(" ")}: ${stderr}`);
}
