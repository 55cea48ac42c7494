import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { StopStep } from "../../src/contract/run.ts";
import { HostRig, spec } from "./support/hosts.ts";

const stop = (rig: HostRig, run: { run_id: string }, ...steps: StopStep[]) =>
  rig.host.request("stop", { session: rig.session, run_id: run.run_id, steps });

describe("held output", () => {
  const hold = (rig: HostRig, held: boolean) => rig.host.request("hold", { session: rig.session, name: "p", held });

  /** Resolves once `seq`, which never waits for anything else, waits to write: its terminal is full. */
  async function stuck(pid: number): Promise<void> {
    while (!(await readFile(`/proc/${pid}/stat`, "utf8")).includes("(seq) S ")) await pause(5);
  }

  test("stays in the terminal, the program waits, and all of it comes when it is let go", async () => {
    await using rig = await HostRig.open();
    await hold(rig, true);
    const run = await rig.spawn(spec("p", "exec seq 1 60000", { terminal: { rows: 24, cols: 80, backlog: 1_048_576 } }));
    rig.watch("p");
    await stuck(run.pid);
    expect(rig.sent("p").length).toBeLessThan(200_000);
    expect(rig.events.map((event) => event.kind)).toEqual(["spawned"]);
    await hold(rig, false);
    await rig.event(run, "extinct");
    const lines = rig.sent("p").trimEnd().split("\r\n");
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([60_000, "1", "60000"]);
  });

  test("does not keep a stop from its end, nor its last words from the ring", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(
      spec(
        "p",
        "trap 'n=0; while [ $n -lt 5000 ]; do n=$((n+1)); echo \"last words, line $n\"; done; exit 3' TERM; echo up; while :; do sleep 0.01; done",
        {
          terminal: { rows: 24, cols: 80, backlog: 1_048_576 },
        },
      ),
    );
    rig.watch("p");
    await rig.said("p", /up/);
    await hold(rig, true);
    await stop(rig, run, { signal: "SIGTERM", timeout_ms: 10_000 });
    expect((await rig.event(run, "extinct")).run.exit).toMatchObject({ code: 3 });
    expect(rig.sent("p")).toMatch(/last words, line 5000\r\n$/);
    const killed = await rig.spawn(spec("p", "exec yes"));
    await stop(rig, killed, { signal: "SIGKILL", timeout_ms: 10_000 });
    expect((await rig.event(killed, "extinct")).run.exit).toMatchObject({ signal: "SIGKILL" });
  });

  test("ends with the session", async () => {
    await using rig = await HostRig.open();
    await hold(rig, true);
    const run = await rig.spawn(spec("p", "exec seq 1 60000"));
    await rig.hello(2);
    await rig.event(run, "extinct");
  });
});
