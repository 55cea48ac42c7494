import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import type { Frame } from "../support/client.ts";
import { Instance } from "../support/instance.ts";

interface Shown {
  readonly state: string;
  readonly exit: { readonly reason: string } | null;
}

/** Descriptors above the highest one that is in use: the first ones are too few for a start. */
const SPARE = [1, 2, 3, 4, 5, 6];

test("a limit on descriptors that is lowered while the daemon runs makes starts fail with a sentence, until it is raised", async () => {
  await using instance = await Instance.up({ processes: { one: { command: "sleep 1000" } } });
  const client = await instance.connect();
  const pid = instance.pidOf("daemon") ?? 0;
  const limit = (soft: number) => execFileSync("prlimit", ["--pid", String(pid), `--nofile=${soft}:`]);
  /** Null: it was started. */
  const start = async (): Promise<string | null> => {
    const from = client.here;
    await client.command({ type: "start_process", name: "one" });
    const isSettled = ({ type, process }: Frame) => type === "process_upsert" && /^(started|error)$/.test((process as Shown).state);
    const { state, exit } = (await client.until("it is settled", isSettled, from)).process as Shown;
    if (state === "error") return exit?.reason ?? "";
    const stop = client.here;
    await client.command({ type: "stop_process", name: "one" });
    await client.untilState("one", "stopped", stop);
    return null;
  };
  const reasons: (string | null)[] = [];
  for (const spare of SPARE) {
    const used = readdirSync(`/proc/${pid}/fd`)
      .map(Number)
      .filter((fd) => fd < 200);
    limit(Math.max(...used) + spare);
    reasons.push(await start());
    limit(1_024);
  }
  const refused = reasons.filter((reason) => reason !== null);
  expect(refused.length).toBeGreaterThan(0);
  for (const reason of refused) expect(reason).toMatch(/limit.* on open files|too few open files/);
  expect(await start()).toBeNull();
});
