// `MGR_PARTITION_HOSTS=1000 npx vitest run --testTimeout 300000 test/app/hosts/partition.test.ts` for more.
// A manager of 100 hosts with 10 processes each, of which half are cut off for most of a minute: the same code as with two hosts, at a size at which
// a list that is read once too often or an event that overtakes another would show.
import { expect, test } from "vitest";
import { Engine } from "../../../src/app/engine.ts";
import { memoryIntents } from "../../../src/app/state/intent-keeper.ts";
import { loadConfigObject } from "../../../src/config/load/load.ts";
import { LogBook } from "../../../src/log/log-book.ts";
import { FakeHost } from "../../../src/testing/fake-host.ts";
import type { FakeProcess } from "../../../src/testing/fake-program.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { BY } from "../support/engines.ts";

const HOSTS = Number(process.env.MGR_PARTITION_HOSTS ?? 100);
const EACH = 10;
/** Longer than a host waits for its manager before it acts alone, milliseconds. */
const PARTITION_MS = 40_000;

const hostNames = Array.from({ length: HOSTS }, (_, index) => `h${index}`);
const nameOf = (host: string, index: number) => `all/${host}/p${index}`;
const names = hostNames.flatMap((host) => Array.from({ length: EACH }, (_, index) => nameOf(host, index)));

async function open() {
  const clock = new SimulatedClock();
  /** Of each process: the number of runs that its host began, of those that live now, and the most that lived at once. */
  const runs = new Map<string, { begun: number; living: number; most: number }>(
    names.map((name) => [name, { begun: 0, living: 0, most: 0 }]),
  );
  const program = ({ name, ended }: FakeProcess): void => {
    const run = runs.get(name);
    if (run === undefined) throw new Error(`${name} is not configured`);
    run.begun++;
    run.most = Math.max(run.most, ++run.living);
    ended.addEventListener("abort", () => run.living--, { once: true });
  };
  const hosts = new Map(hostNames.map((host) => [host, new FakeHost({ clock, host, programs: { "*": program } })]));
  const config = loadConfigObject(
    {
      hosts: Object.fromEntries(hostNames.map((host) => [host, { token_file: host }])),
      processes: Object.fromEntries(
        hostNames.flatMap((host) =>
          Array.from({ length: EACH }, (_, index) => [
            nameOf(host, index),
            { command: "p", node: host, restart: { policy: index === 0 ? "always" : "never", delay: "1s" } },
          ]),
        ),
      ),
    },
    { base_dir: "/", state_dir: "/nowhere" },
  );
  const log = new LogBook({ capacity: 500 * HOSTS, now: () => clock.now() });
  const engine = new Engine({
    config,
    clock,
    log,
    intents: memoryIntents(),
    epoch: 1,
    link: new FakeHost({ clock, host: "bench" }),
    connectHost: (host) => hosts.get(host) ?? new FakeHost({ clock, host }),
    loadConfig: async () => config,
    features: [],
  });
  await clock.advance(3_000);
  return {
    clock,
    engine,
    hosts,
    runs,
    /** How often the log has each change to this state. */
    changesTo(state: string): Map<string, number> {
      const found = new Map<string, number>();
      for (const { change } of log.entries()) if (change?.to === state) found.set(change.process, (found.get(change.process) ?? 0) + 1);
      return found;
    },
    [Symbol.asyncDispose]: () => engine.close(),
  };
}

test("half of many hosts are cut off and come back: no end of a run is lost, and no process runs twice", async () => {
  await using rig = await open();
  const { clock, engine, hosts, runs } = rig;
  const states = () => engine.control.state.processes();
  engine.control.commands.group("start", "all", BY);
  await clock.advance(30_000);
  expect(states().filter(({ state }) => state === "started")).toHaveLength(names.length);

  const cut = hostNames.filter((_, index) => index % 2 === 0);
  for (const host of cut) hosts.get(host)?.lose();
  await clock.advance(10_000);
  expect(states().filter(({ host_ready }) => !host_ready)).toHaveLength(cut.length * EACH);
  // A request for everything does not start again what runs, whether the manager sees it or not.
  engine.control.commands.group("start", "all", BY);
  await clock.advance(1_000);
  // Everywhere, the first process fails and is restarted, and the second one ends for good.
  for (const [host, fake] of hosts) {
    fake.process(nameOf(host, 0)).exit(1);
    fake.process(nameOf(host, 1)).exit(3);
  }
  await clock.advance(PARTITION_MS);
  for (const host of cut) hosts.get(host)?.restore();
  await clock.advance(30_000);

  expect(engine.control.state.hosts().filter(({ daemon_ready }) => !daemon_ready)).toEqual([]);
  expect(states().filter(({ host_ready }) => !host_ready)).toEqual([]);
  expect([...runs].filter(([, { most }]) => most !== 1)).toEqual([]);
  const failed = rig.changesTo("error");
  for (const host of hostNames) {
    expect(runs.get(nameOf(host, 0)), host).toMatchObject({ begun: 2, living: 1 });
    expect(runs.get(nameOf(host, 2)), host).toMatchObject({ begun: 1, living: 1 });
    expect(failed.get(nameOf(host, 1)), host).toBe(1);
  }
  for (const { name, state, exit } of states()) {
    if (name.endsWith("/p1")) expect([state, exit?.code], name).toEqual(["error", 3]);
    else expect(state, name).toBe("started");
  }
});
