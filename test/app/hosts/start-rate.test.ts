import { expect, it } from "vitest";
import { Engine } from "../../../src/app/engine.ts";
import { memoryIntents } from "../../../src/app/state/intent-keeper.ts";
import { loadConfigObject } from "../../../src/config/load/load.ts";
import { LogBook } from "../../../src/log/log-book.ts";
import { FakeHost } from "../../../src/testing/fake-host.ts";
import { testClock } from "../../actors/support/clock.ts";
import { BY } from "../support/engines.ts";
import { settled } from "../support/scripted-link.ts";

const COUNT = 100;

it("a host's start_rate holds for a group that is started at once, and other hosts do not wait for it", async () => {
  const clock = testClock();
  const names = (host: string) => Array.from({ length: COUNT }, (_, index) => `all/${host}-${index}`);
  const processes = Object.fromEntries(
    ["slow", "quick"].flatMap((node) => names(node).map((name) => [name, { command: ["sleep", "1"], node }])),
  );
  const spawned = { slow: 0, quick: 0, bench: 0 };
  const hostOf = (host: string) => {
    const fake = new FakeHost({ clock, host });
    const answer = fake.request.bind(fake);
    fake.request = (name, request) => {
      if (name === "spawn") spawned[host as keyof typeof spawned]++;
      return answer(name, request);
    };
    return fake;
  };
  const engine = new Engine({
    config: loadConfigObject(
      { hosts: { slow: { token_file: "slow", start_rate: 10 }, quick: { token_file: "quick" } }, processes },
      { base_dir: "/", state_dir: "/nowhere" },
    ),
    clock,
    log: new LogBook({ capacity: 100, now: clock.now }),
    intents: memoryIntents(),
    epoch: 1,
    link: hostOf("bench"),
    connectHost: hostOf,
  });
  /** What needs no time is done. */
  const calm = async () => {
    for (let turn = 0; turn < 20; turn++) await settled();
  };
  await calm();
  expect(engine.control.state.hosts().map(({ daemon_ready }) => daemon_ready)).toEqual([true, true, true]);
  await engine.control.commands.group("start", "all", BY);
  await calm();
  expect(spawned).toEqual({ slow: 1, quick: COUNT, bench: 0 });
  expect(engine.control.state.process("all/slow-1")).toMatchObject({ state: "starting", requested_state: "start" });
  for (let tenth = 1; tenth < COUNT; tenth++) {
    clock.advance(100);
    await settled();
    await settled();
    expect(spawned.slow).toBe(1 + tenth);
  }
  await calm();
  expect(engine.control.state.processes().every(({ state }) => state === "started")).toBe(true);
  engine.close();
});
