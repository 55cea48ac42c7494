import { expect, it } from "vitest";
import { Engine } from "../../../src/app/engine.ts";
import { memoryIntents } from "../../../src/app/state/intent-keeper.ts";
import { loadConfigObject } from "../../../src/config/load/load.ts";
import { LogBook } from "../../../src/log/log-book.ts";
import { FakeHost } from "../../../src/testing/fake-host.ts";
import { testClock } from "../../actors/support/clock.ts";
import { settled } from "../support/scripted-link.ts";

it("the commands that start a process by hand are made on the host of its next run, and nowhere else", async () => {
  const clock = testClock();
  const hosts = new Map<string, FakeHost>();
  const openHost = (host: string) => {
    const fake = new FakeHost({
      clock,
      host,
      answers: {
        startup_commands: ({ spec }) => ({ commands: [`${host}: ${spec.name} in ${spec.cwd}, inherited: ${spec.inherited !== null}`] }),
      },
    });
    hosts.set(host, fake);
    return fake;
  };
  const engine = new Engine({
    config: loadConfigObject(
      {
        hosts: { far: { token_file: "far" } },
        processes: {
          here: { command: ["sleep", "1"], cwd: "/srv" },
          there: { command: ["sleep", "1"], cwd: "relative", node: "far" },
        },
      },
      { base_dir: "/", state_dir: "/nowhere" },
    ),
    clock,
    log: new LogBook({ capacity: 100, now: clock.now }),
    intents: memoryIntents(),
    epoch: 1,
    link: openHost("bench"),
    connectHost: openHost,
  });
  for (let turn = 0; turn < 20; turn++) await settled();
  expect(engine.control.state.hosts().map(({ daemon_ready }) => daemon_ready)).toEqual([true, true]);
  expect(await engine.control.state.startupCommands("here")).toEqual(["bench: here in /srv, inherited: true"]);
  expect(await engine.control.state.startupCommands("there")).toEqual(["far: there in relative, inherited: false"]);
  hosts.get("far")?.lose();
  for (let second = 0; second < 10; second++) {
    clock.advance(1_000);
    await settled();
  }
  await expect(engine.control.state.startupCommands("there")).rejects.toMatchObject({ code: "host_unavailable" });
  await expect(engine.control.state.startupCommands("nowhere")).rejects.toMatchObject({ code: "not_found" });
  engine.close();
});
