import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Instance } from "../support/instance.ts";
import { isAlive } from "../support/marked.ts";
import { ECHO, sh } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

const restart = { policy: "on-failure", delay: "10ms", factor: 1, max_restarts: 20 } as const;
/** Notes its pid, then runs until it is killed. In a configuration, `$$` is one dollar sign. */
const noting = (name: string) => ({ command: sh(`echo $$$$ >> ${name}.pids; exec sleep 1000`), restart, autostart: true });

test("while the manager is away its host restarts what crashes, and the next manager has runs, counters and history as if it had been there", {
  timeout: 480_000,
}, async () => {
  await using instance = new Instance({
    processes: { a: noting("a"), b: noting("b"), stopped: { command: ECHO, restart, autostart: true } },
  });
  const pidsOf = (name: string) => {
    const file = join(instance.dir, `${name}.pids`);
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : [];
  };
  await instance.mgr("up", "--detach");
  const first = await instance.connect();
  await eventually("all run", async () =>
    (await Promise.all(["a", "b", "stopped"].map((name) => first.process(name)))).every(({ state }) => state === "started"),
  );
  // A process is started before its shell has done anything.
  await eventually("each has noted its pid", () => ["a", "b"].every((name) => pidsOf(name).length === 1));
  await first.command({ type: "stop_process", name: "stopped" });
  await eventually("it has stopped", async () => (await first.process("stopped")).state === "stopped");
  const manager = instance.kill("manager");
  await eventually("the manager is dead", () => !isAlive(manager));

  // The first crash is before the host acts alone, the others are after it.
  const crash = async (name: string) => {
    const pids = pidsOf(name);
    process.kill(pids.at(-1) ?? 0, "SIGKILL");
    await eventually(`${name} is restarted`, () => pidsOf(name).length > pids.length);
  };
  for (let round = 0; round < 3; round++) await Promise.all([crash("a"), crash("b")]);
  const { stderr } = await instance.run("ps");
  expect(stderr).toContain("and the host restarts what fails");

  await instance.mgr("up", "--detach");
  const next = await instance.connect();
  for (const name of ["a", "b"]) {
    await eventually(`${name} is adopted`, async () => (await next.process(name)).state === "started");
    expect(await next.process(name)).toMatchObject({ pid: pidsOf(name).at(-1), restarts: 3 });
    const detail = await next.ask({ type: "request_process_detail", name });
    const history = detail.history as { pid: number; number: number; signal: string | null }[];
    expect(history.map(({ pid }) => pid).reverse()).toEqual(pidsOf(name));
    expect(history.map(({ number }) => number)).toEqual([4, 3, 2, 1]);
    expect(history.map(({ signal }) => signal)).toEqual([null, "SIGKILL", "SIGKILL", "SIGKILL"]);
  }
  expect((await next.process("stopped")).state).toBe("stopped");
  await next.snapshot();
  expect(next.seen).toContain("time without a manager");
  expect(next.problems).toEqual([]);
  expect((await instance.mgr("hosts")).stdout).toMatch(/: 6 restarts while disconnected \S+ to \S+/);
  await eventually("the log says which", () =>
    // The process that was restarted last is named last.
    /6 restarts while disconnected, .*('a' \(3\), 'b' \(3\)|'b' \(3\), 'a' \(3\))/.test(instance.read("state/manager.log")),
  );
});
