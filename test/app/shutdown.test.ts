import fc from "fast-check";
import { expect, test } from "vitest";
import { Engine } from "../../src/app/engine.ts";
import { loadConfigObject } from "../../src/config/load/load.ts";
import type { ConfigInput } from "../../src/config/schema/schema.ts";
import { LogBook } from "../../src/log/log-book.ts";
import { testClock } from "../actors/support/clock.ts";
import { NO_INTERRUPT_MS, timedRuns } from "../support/timed-runs.ts";
import { BY, Intents } from "./support/engines.ts";
import { FakeHost } from "./support/fake-host.ts";
import { settled } from "./support/scripted-link.ts";

const RUNS = Number(process.env.MGR_MODEL_RUNS ?? 60);
/** More than are told in one turn of the event loop. */
const COUNT = 40;
const DELAY_MS = 500;
const STOP_MS = 5_000;
const NAMES = Array.from({ length: COUNT }, (_, index) => `all/p${index}`);

class Rig {
  readonly clock = testClock();
  readonly host = new FakeHost(() => this.clock.now());
  readonly intents = new Intents();
  readonly log = new LogBook({ capacity: 10_000, now: () => this.clock.now() });
  readonly engine: Engine;
  readonly spawned: string[] = [];
  reloads = 0;

  constructor(processes: NonNullable<ConfigInput["processes"]>) {
    const config = loadConfigObject({ instance: { name: "model" }, processes }, { base_dir: "/", state_dir: "/nowhere" });
    const { clock, log, intents, host } = this;
    this.host.onSpawn = ({ name }) => this.spawned.push(name);
    this.engine = new Engine({
      config,
      clock,
      log,
      intents,
      epoch: 1,
      link: host,
      loadConfig: async () => {
        await settled();
        this.reloads++;
        return config;
      },
    });
  }

  async begin(): Promise<void> {
    this.host.beatNow();
    await this.turns(4);
  }

  async turns(count: number): Promise<void> {
    for (let turn = 0; turn < count; turn++) await settled();
  }

  /** The host is heard meanwhile. */
  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      this.clock.advance(1_000);
      this.host.beatNow();
      await settled();
    }
  }

  state(name: string): string | undefined {
    return this.engine.control.state.process(name)?.state;
  }

  /** Carries out every stop that was asked for. */
  endStopping(): void {
    for (const [name, { report }] of this.host.runs) if (report.stopping) this.host.end(name, { code: null, signal: "SIGTERM" });
  }
}

const step = fc.oneof(
  fc.record({ kind: fc.constantFrom("start", "stop", "restart"), name: fc.constantFrom(...NAMES) }),
  fc.record({ kind: fc.constantFrom("start group", "restart group", "reload"), name: fc.constant("all") }),
  fc.record({ kind: fc.constantFrom("crash", "files changed"), name: fc.constantFrom(...NAMES) }),
  fc.record({ kind: fc.constantFrom("turn", "delay"), name: fc.constant("") }),
);

async function play(rig: Rig, { kind, name }: { kind: string; name: string }): Promise<void> {
  const { control, system } = rig.engine;
  const refused = (error: unknown) => {
    if ((error as { code?: string }).code !== "shutting_down") throw error;
  };
  const commands: Record<string, () => unknown> = {
    start: () => control.commands.process("start", name, BY),
    stop: () => control.commands.process("stop", name, BY),
    restart: () => control.commands.process("restart", name, BY),
    "start group": () => control.commands.group("start", name, BY),
    "restart group": () => control.commands.group("restart", name, BY),
    reload: () => control.configuration.reload("ada"),
  };
  const command = commands[kind];
  try {
    if (command) Promise.resolve(command()).catch(refused);
  } catch (error) {
    refused(error);
  }
  if (kind === "crash") rig.host.end(name, { code: 1, signal: null });
  if (kind === "files changed") system.send("process", name, { type: "files.changed", path: "/x" });
  if (kind === "turn") await settled();
  if (kind === "delay") await rig.pass(1);
}

test("nothing starts once a shutdown has begun, whatever was requested before or is requested meanwhile, and the shutdown ends", async () => {
  const processes = Object.fromEntries(
    NAMES.map((name, index) => [
      name,
      {
        command: "run",
        autostart: index % 3 === 0,
        restart: { policy: index % 2 === 0 ? ("always" as const) : ("never" as const), delay: `${DELAY_MS}ms`, max_restarts: 0 },
        stop: { timeout: `${STOP_MS}ms` },
        depends_on: index % 5 === 4 ? [`all/p${index - 1}`] : [],
      },
    ]),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 20 }),
      fc.array(step, { maxLength: 20 }),
      timedRuns(6_000, async (before, during) => {
        const rig = new Rig(processes);
        try {
          await rig.begin();
          for (const each of before) await play(rig, each);
          let isOver = false;
          const stopped = rig.engine.stopEverything().then((left) => {
            isOver = true;
            return left;
          });
          const spawned = rig.spawned.length;
          const expected = JSON.stringify([...rig.intents.kept]);
          for (const each of during) await play(rig, each);
          for (let turn = 0; !isOver && turn < 400; turn++) {
            rig.endStopping();
            await settled();
            // What waits for its time comes now.
            if (turn % 20 === 19) await rig.pass(1);
          }
          expect(isOver, "the end came").toBe(true);
          expect(await stopped).toEqual([]);
          await rig.pass(5);
          expect(rig.spawned.slice(spawned), "nothing began").toEqual([]);
          expect(NAMES.filter((name) => !["stopped", "error"].includes(rig.state(name) ?? ""))).toEqual([]);
          expect(JSON.stringify([...rig.intents.kept]), "what users want is as it was").toBe(expected);
          expect(rig.host.violations).toEqual([]);
        } finally {
          rig.engine.close();
        }
      }),
    ),
    { numRuns: RUNS, interruptAfterTimeLimit: NO_INTERRUPT_MS },
  );
});

test("a process that is stuck in the kernel does not delay the shutdown, which names it", async () => {
  const rig = new Rig({
    held: { command: "run", autostart: true, stop: { timeout: "5s" } },
    ends: { command: "run", autostart: true, stop: { timeout: "5s" } },
  });
  await rig.begin();
  let left: string[] | null = null;
  void rig.engine.stopEverything().then((names) => {
    left = names;
  });
  await rig.turns(4);
  // Each that ends restarts the time of the others.
  await rig.pass(10);
  rig.host.end("ends", { code: 0, signal: null });
  await rig.pass(14);
  expect(rig.engine.processTable.isHostReady()).toBe(true);
  expect(left).toBeNull();
  await rig.pass(30);
  expect(left).toEqual(["held"]);
  rig.engine.close();
});

test("a reload whose files are being read when the shutdown begins changes nothing", async () => {
  const rig = new Rig({ a: { command: "run" } });
  await rig.begin();
  const reload = rig.engine.control.configuration.reload("ada");
  rig.engine.beginShutdown();
  await expect(reload).rejects.toMatchObject({ code: "shutting_down" });
  expect(rig.reloads, "it had been read").toBe(1);
  rig.engine.close();
});

test("a shutdown refuses the rest of a group start that is under way", async () => {
  const rig = new Rig(Object.fromEntries(NAMES.map((name) => [name, { command: "run" }])));
  await rig.begin();
  const started = Promise.resolve(rig.engine.control.commands.group("start", "all", BY));
  rig.engine.beginShutdown();
  await expect(started).rejects.toMatchObject({ code: "shutting_down" });
  rig.engine.close();
});
