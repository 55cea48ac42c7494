import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, test } from "vitest";
import { SweepTimer } from "../../src/daemon/tree/sweep-timer.ts";
import { bundled } from "../support/bundled.ts";

let program = "";
beforeAll(async () => {
  program = await bundled("test/fixtures/out-of-descriptors.ts");
});

/** Runs a scenario of the fixture in a process of its own, which takes all its descriptors. */
async function run(scenario: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const node = [process.execPath, program, scenario];
  const child = spawn("/bin/sh", ["-c", 'ulimit -n 256; exec "$@"', "sh", ...node], { stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, stdout, stderr };
}

describe("out of descriptors", () => {
  test("a failed check of the daemon neither ends the manager nor counts the daemon as dead", async () => {
    expect(await run("watch")).toEqual({ code: 0, stdout: "begins\nlives\n", stderr: "" });
  });

  test("an error that a timer throws for lack of descriptors does not end the manager; a defect does, with its stack", async () => {
    const { code, stdout, stderr } = await run("net");
    expect(stdout).toContain("survived: the manager continues after a failure: Error: EMFILE");
    expect([code, stderr]).toEqual([1, expect.stringMatching(/Error: a defect\n +at /)]);
  });

  test("a sweep that cannot read /proc is repeated", async () => {
    let sweeps = 0;
    await new Promise<void>((resolve) => {
      const timer = new SweepTimer(() => {
        sweeps++;
        if (sweeps === 1) throw Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" });
        resolve();
        return false;
      });
      timer.now();
    });
    expect(sweeps).toBe(2);
  });
});
