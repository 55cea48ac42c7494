import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { StopStep } from "../../../src/contract/run.ts";
import { HostRig, spec } from "../support/hosts.ts";

const stop = (rig: HostRig, run: { run_id: string }, ...steps: StopStep[]) =>
  rig.host.request("stop", { session: rig.session, run_id: run.run_id, steps });

describe("output of a lossless window", () => {
  const open = (rig: HostRig, from: number, length: number, lossless = true) =>
    rig.host.window({ session: rig.session, windows: [{ name: "p", from, length, lossless }] });
  const written = async (rig: HostRig) => (await rig.host.request("tail", { session: rig.session, name: "p", lines: 1 })).until;

  /** Reads on and on, as a manager with a reader would, a window at a time. */
  async function readOn(rig: HostRig, until: () => Promise<unknown>): Promise<void> {
    const read = { bytes: 0 };
    const unsubscribe = rig.host.listen({
      onOutput({ data }) {
        read.bytes += data.length;
        open(rig, read.bytes, 65_536);
      },
    });
    open(rig, 0, 65_536);
    await until();
    unsubscribe();
  }

  /** Resolves once `seq`, which never waits for anything else, waits to write: its terminal is full. */
  async function stuck(pid: number): Promise<void> {
    while (!(await readFile(`/proc/${pid}/stat`, "utf8")).includes("(seq) S ")) await pause(5);
  }

  test("stays in the terminal, the program waits, and all of it is read later, also if the ring is smaller", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(spec("p", "exec seq 1 400000", { terminal: { rows: 24, cols: 80, backlog: 4_096 } }));
    open(rig, 0, 1_000);
    await stuck(run.pid);
    expect(rig.sent("p")).toHaveLength(1_000);
    expect(await written(rig), "what the ring may hold unread").toBeLessThan(1_250_000);
    expect(rig.events.map((event) => event.kind)).toEqual(["spawned"]);
    rig.chunks.length = 0;
    await readOn(rig, () => rig.event(run, "extinct"));
    expect(rig.chunks.some(({ gap }) => gap > 0)).toBe(false);
    const lines = rig.sent("p").trimEnd().split("\r\n");
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([400_000, "1", "400000"]);
  });

  test("is not held when the window is closed, or is no longer lossless", async () => {
    await using rig = await HostRig.open();
    for (const letGo of [() => open(rig, 0, 0), () => open(rig, 0, 1, false)]) {
      const run = await rig.spawn(spec("p", "exec seq 1 400000"));
      open(rig, await written(rig), 1);
      await stuck(run.pid);
      letGo();
      expect((await rig.event(run, "extinct")).run.exit).toMatchObject({ code: 0 });
    }
  });

  test("neither prevents the end of a stop, nor keeps the last output out of the ring", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(
      spec(
        "p",
        "trap 'n=0; while [ $n -lt 5000 ]; do n=$((n+1)); echo \"last words, line $n\"; done; exit 3' TERM; seq 1 400000 & wait; while :; do wait; done",
        { terminal: { rows: 24, cols: 80, backlog: 1_048_576 } },
      ),
    );
    open(rig, 0, 1_000);
    while ((await written(rig)) < 1_000_000) await pause(5);
    await stop(rig, run, { signal: "SIGTERM", timeout_ms: 60_000 });
    expect((await rig.event(run, "extinct")).run.exit).toMatchObject({ code: 3 });
    const { from, until } = await rig.host.request("tail", { session: rig.session, name: "p", lines: 1 });
    const { data } = await rig.host.request("read", { session: rig.session, name: "p", from, max: until - from });
    expect(Buffer.from(data).toString()).toBe("last words, line 5000\r\n");
    const killed = await rig.spawn(spec("p", "exec yes"));
    await stop(rig, killed, { signal: "SIGKILL", timeout_ms: 10_000 });
    expect((await rig.event(killed, "extinct")).run.exit).toMatchObject({ signal: "SIGKILL" });
  });

  test("is not held longer than the session lasts", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(spec("p", "exec seq 1 400000"));
    open(rig, 0, 1);
    await stuck(run.pid);
    await rig.hello(2);
    expect((await rig.event(run, "extinct")).run.extinct).toBe(true);
  });
});
