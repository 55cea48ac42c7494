import { once } from "node:events";
import { constants } from "node:os";
import { expect, it } from "vitest";
import { reapChild } from "../../../src/daemon/native/libc.ts";
import { spawnLeader } from "../../../src/daemon/native/posix-spawn.ts";
import { readStat } from "../../../src/daemon/proc/proc.ts";
import { Child } from "../../../src/daemon/process/child.ts";

const start = (line: string) =>
  spawnLeader({
    path: "/bin/sh",
    argv: ["sh", "-c", line],
    environment: { PATH: process.env.PATH ?? "" },
    cwd: "/",
    standard: "/dev/null",
  });

function child(line: string): Child {
  const started = Child.start(() => start(line));
  if (started.child === null) throw new Error(`fork failed: ${started.error}`);
  return started.child;
}

async function untilEnded(pid: number): Promise<void> {
  await expect.poll(() => readStat(pid)?.ended).toBe(true);
}

it("the exits of many children are reported once each, also behind an ended child of other code", async () => {
  // The oldest child, which hides all others from a question for any ended child until it is reaped.
  const unrelated = start("exit 0");
  await untilEnded(unrelated);
  const codes: unknown[] = [];
  const children = Array.from({ length: 20 }, (_, index) => child(`exit ${index}`));
  const living = child("sleep 1000");
  for (const each of children) each.on("exit", (code) => codes.push(code));
  await expect.poll(() => codes.length).toBe(20);
  expect(codes.toSorted((a, b) => Number(a) - Number(b))).toEqual(children.map((_, index) => index));
  expect(reapChild(unrelated)).toMatchObject({ status: 0 });
  const ended = once(living, "exit");
  living.kill("SIGKILL");
  expect((await ended).slice(0, 2)).toEqual([null, "SIGKILL"]);
});

it("a child that other code has reaped is reported as ended, with an unknown exit", async () => {
  const other = child("sleep 1000");
  const taken = child("sleep 1000");
  const ended = once(taken, "exit");
  process.kill(taken.pid, "SIGKILL");
  // All in this turn: SIGCHLD is told to nothing else before.
  let status: ReturnType<typeof reapChild> = "alive";
  for (const deadline = Date.now() + 60_000; status === "alive" && Date.now() < deadline; ) status = reapChild(taken.pid);
  expect(status).toMatchObject({ status: constants.signals.SIGKILL });
  expect((await ended).slice(0, 2)).toEqual([null, null]);
  const last = once(other, "exit");
  other.kill("SIGKILL");
  await last;
});

it("what a child has used is known at its end, with the children that it had waited for", async () => {
  const work = "python3 -c 'import time\nwhile time.process_time() < 0.2: pass\nblock = bytearray(64 << 20)'";
  const [, , exit] = await once(child(`${work}; exit 3`), "exit");
  expect(exit).toMatchObject({ code: 3 });
  expect(exit.usage.cpuMs).toBeGreaterThanOrEqual(200);
  expect(exit.usage.maxMemory).toBeGreaterThan(64 << 20);
  expect(exit.usage.contextSwitches).toBeGreaterThan(0);
});
