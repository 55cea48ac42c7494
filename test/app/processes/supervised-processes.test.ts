import { expect, it } from "vitest";
import { Engine } from "../../../src/app/engine.ts";
import { loadConfigObject } from "../../../src/config/load/load.ts";
import { LogBook } from "../../../src/log/log-book.ts";
import { testClock } from "../../actors/support/clock.ts";
import { BY, Intents } from "../support/engines.ts";
import { FakeHost } from "../support/fake-host.ts";
import { settled } from "../support/scripted-link.ts";

const CONFIG = loadConfigObject(
  {
    processes: {
      a: { command: "a", restart: { policy: "on-failure" } },
      b: { command: "b", depends_on: { a: { condition: "ready" } } },
    },
  },
  { base_dir: "/", state_dir: "/nowhere" },
);

/** An engine, and what it told its host to supervise. */
async function open() {
  const clock = testClock();
  const host = new FakeHost(() => clock.now());
  const told: unknown[] = [];
  const { auto } = host;
  host.auto = (name, request) => {
    if (name === "supervise") told.push([request.is_first, request.processes, ...((request.requested ?? []) as string[])]);
    return auto(name, request);
  };
  const log = new LogBook({ capacity: 1_000, now: () => clock.now() });
  const engine = new Engine({ config: CONFIG, clock, log, intents: new Intents(), epoch: 1, link: host, features: [] });
  const settle = async () => {
    for (let turn = 0; turn < 5; turn++) await settled();
  };
  host.beatNow();
  await settle();
  const command = async (verb: "start" | "stop", name: string) => {
    engine.control.commands.process(verb, name, BY);
    await settle();
  };
  return { clock, host, told, settle, command, [Symbol.dispose]: () => void engine.close() };
}

it("a host is told of all processes at first, then of stops and final ends only: a spawn tells it of a start", async () => {
  using rig = await open();
  expect(rig.told).toEqual([
    [
      true,
      [
        ["a", false],
        ["b", false],
      ],
    ],
  ]);
  await rig.command("start", "a");
  rig.host.end("a", { code: 1, signal: null });
  await rig.settle();
  // It is restarted: nothing has changed.
  rig.clock.advance(1_000);
  await rig.settle();
  expect(rig.told).toHaveLength(1);
  rig.host.end("a", { code: 0, signal: null });
  await rig.settle();
  // It is still requested: its host starts it after a boot.
  expect(rig.told.slice(1)).toEqual([[false, [["a", false]], "a"]]);
  await rig.command("stop", "a");
  expect(rig.told.slice(2)).toEqual([[false, [["a", false]]]]);
});

it("a stop tells the host before the run is stopped, and says so itself", async () => {
  using rig = await open();
  await rig.command("start", "b");
  const before = rig.host.asked.length;
  const order: string[] = [];
  const { auto } = rig.host;
  rig.host.auto = (name, request) => {
    if (name === "supervise") order.push("supervise");
    else if (name === "stop") order.push(`stop wanted: ${request.wanted}`);
    return auto(name, request);
  };
  await rig.command("stop", "b");
  expect(order).toEqual(["supervise", "stop wanted: false"]);
  expect(rig.host.asked).toHaveLength(before);
});
