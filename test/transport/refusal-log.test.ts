import { expect, test } from "vitest";
import { LogBook } from "../../src/log/log-book.ts";
import { RefusalLog } from "../../src/transport/refusal-log.ts";
import { testClock } from "../actors/support/clock.ts";
import { startRig } from "./rig.ts";

test("a refusal is logged as a warning with user, frame type and reason", async () => {
  await using rig = await startRig(["db"]);
  const client = await rig.connect();
  await client.ask({ type: "start_process", name: "nobody" });
  await client.ask({ type: "dance" });
  await client.ask({ type: "set_process_attribute", name: "db", attribute: "colour", value: true });
  const said = rig.control.log.entries({ level: "warning" }).map(({ level, msg }) => `${level} ${msg}`);
  expect(said).toEqual([
    "warning 'start_process' of 'ada' is refused: There is no process 'nobody'.",
    expect.stringMatching(/^warning 'dance' of 'ada' is refused: .*unknown action 'dance'/i),
    expect.stringMatching(/^warning '\w+' of 'ada' is refused: .*must be one of start_tool, svc_debug/),
  ]);
});

test("a client's loop is logged twenty times, then once a second with the number of those between", () => {
  const clock = testClock();
  const log = new LogBook({ capacity: 1_000, now: () => clock.now() });
  const refusals = new RefusalLog(log, clock);
  const flood = (count: number) => {
    for (let index = 0; index < count; index++) refusals.note({ user: "ada", what: "start_process", reason: "x".repeat(1_000) });
  };
  flood(1_000);
  expect(log.entries()).toHaveLength(20);
  clock.advance(1_000);
  flood(10);
  const entries = log.entries();
  expect(entries).toHaveLength(21);
  expect(entries.at(-1)?.msg).toContain("980 earlier refusals were not logged");
  expect(Math.max(...entries.map(({ msg }) => msg.length))).toBeLessThan(600);
});
