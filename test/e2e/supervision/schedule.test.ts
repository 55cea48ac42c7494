import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Instance } from "../support/instance.ts";
import { eventually } from "../support/wait.ts";

interface Row {
  readonly name: string;
  readonly state: string;
  readonly schedule: { readonly last_run: string | null; readonly next_run: string | null; readonly paused: boolean } | null;
}

test("a process with a schedule runs again and again, also under the next manager, until a user stops it", async () => {
  await using instance = await Instance.up({
    processes: {
      job: { command: "echo run >> runs.txt", schedule: { every: "1s" }, tags: ["nightly"] },
      other: { command: "sleep 1000" },
    },
  });
  const runs = () => {
    try {
      return readFileSync(join(instance.dir, "runs.txt"), "utf8").split("\n").length - 1;
    } catch {
      return 0;
    }
  };
  await eventually("two runs", () => runs() >= 2);
  const rows = JSON.parse((await instance.mgr("ps", "--json")).stdout) as Row[];
  expect(rows.map(({ name, schedule }) => [name, schedule?.paused])).toEqual([
    ["job", false],
    ["other", undefined],
  ]);
  expect(rows[0]?.schedule?.last_run).not.toBeNull();
  expect((await instance.mgr("audit")).stdout).toMatch(/its schedule.*start_process.*job/);

  instance.kill("manager");
  await eventually("the manager is dead", () => instance.pidOf("manager") === null);
  const before = runs();
  await instance.start("up", "-c", instance.config).up();
  await eventually("runs under the next manager", () => runs() >= before + 2);

  expect((await instance.mgr("stop", "tag:nightly")).stdout).toMatch(/^job: stopped/);
  const client = await instance.connect();
  const { schedules } = (await client.ask({ type: "get_snapshot" })) as unknown as { schedules: Row["schedule"][] };
  expect(schedules).toMatchObject([{ name: "job", paused: true, next_run: null }]);
  expect((await instance.mgr("ps", "tag:nightly")).stdout).toMatch(/job +stopped +.*paused/);
});
