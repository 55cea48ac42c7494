import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Engine } from "../../../src/app/engine.ts";
import { memoryIntents } from "../../../src/app/state/intent-keeper.ts";
import { systemClock } from "../../../src/base/timing/clock.ts";
import { loadConfigObject } from "../../../src/config/load/load.ts";
import { LogBook } from "../../../src/log/log-book.ts";
import { FakeHost } from "../../../src/testing/fake-host.ts";
import { BY } from "../support/engines.ts";

const COUNT = 1_000;
const NAMES = Array.from({ length: COUNT }, (_, index) => `all/p${index}`);
/** Part of the stop requests after which the manager is killed. */
const STOPS_BEFORE_KILL = 400;

/** Looks again in each turn. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

describe(`a group of ${COUNT} processes`, () => {
  let host: FakeHost;
  let engine: Engine;
  let log: LogBook;
  const intents = memoryIntents();
  const config = loadConfigObject(
    { processes: Object.fromEntries(NAMES.map((name) => [name, { command: ["sleep", "1"] }])) },
    { base_dir: "/", state_dir: "/nowhere" },
  );
  /** Stops that each request to the host asked for. */
  const stops: number[] = [];
  let spawns = 0;
  /** Called before each request for stops is passed on. */
  let onStops = () => {};

  function manager(epoch: number): Engine {
    log = new LogBook({ capacity: 10 * COUNT, now: Date.now });
    return new Engine({ config, clock: systemClock, log, intents, epoch, link: host });
  }
  const states = () => new Map(engine.control.state.processes().map(({ name, state }) => [name, state]));
  const all = (state: string) => [...states().values()].every((each) => each === state);
  beforeEach(async () => {
    stops.length = 0;
    spawns = 0;
    onStops = () => {};
    host = new FakeHost({ clock: systemClock, host: "bench" });
    const answer = host.request.bind(host);
    host.request = (name, request) => {
      if (name === "spawn") spawns++;
      if (name === "stop" || name === "stop_runs") {
        stops.push("stops" in request ? request.stops.length : 1);
        onStops();
      }
      return answer(name, request);
    };
    engine = manager(1);
    await until(() => engine.processTable.isHostReady());
    await engine.control.commands.group("start", "all", BY);
    await until(() => all("started"));
  });
  afterEach(async () => {
    engine.close();
    await host.close();
  });

  it("is stopped by few requests; each process goes through its states, with one log entry each", async () => {
    const shown = new Map<string, string[]>();
    engine.events.subscribe((event) => {
      if (event.type !== "process_upsert") return;
      const { name, state } = event.process;
      const before = shown.get(name) ?? [];
      if (before.at(-1) !== state) shown.set(name, [...before, state]);
    });
    const lastId = log.lastId;
    await engine.control.commands.group("stop", "all", BY);
    await until(() => all("stopped"));
    expect(new Set([...shown.values()].map(String))).toEqual(new Set(["stopping,stopped"]));
    expect(shown.size).toBe(COUNT);
    const entries = log.entries().filter(({ id, change }) => id > lastId && change !== undefined);
    expect(entries).toHaveLength(2 * COUNT);
    const changes = new Map<string, string[]>();
    for (const { change } of entries)
      if (change) changes.set(change.process, [...(changes.get(change.process) ?? []), `${change.from} → ${change.to}`]);
    expect(changes.size).toBe(COUNT);
    expect(new Set([...changes.values()].map(String))).toEqual(new Set(["started → stopping,stopping → stopped"]));
    expect(stops.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(COUNT);
    // 32 a turn; some more if the host was thought lost on a busy machine.
    expect(stops.length).toBeLessThan(COUNT / 4);
  });

  it("is stopped as far as that was requested when the manager is killed meanwhile, and the rest is adopted", async () => {
    let asked = 0;
    const killed = new Promise<void>((resolve) => {
      onStops = () => {
        asked += stops.at(-1) ?? 0;
        if (asked < STOPS_BEFORE_KILL) return;
        onStops = () => {};
        // The host gets this request, and its answer is lost.
        engine.close();
        resolve();
      };
    });
    void Promise.resolve(engine.control.commands.group("stop", "all", BY)).catch(() => {});
    await killed;
    const requested = new Set(NAMES.filter((name) => intents.get(name).requested_state === "stop"));
    expect(requested.size).toBeGreaterThanOrEqual(STOPS_BEFORE_KILL);
    expect(requested.size).toBeLessThan(COUNT);
    engine = manager(2);
    await until(() => engine.processTable.isHostReady());
    await until(() => [...states()].every(([name, state]) => state === (requested.has(name) ? "stopped" : "started")));
    await engine.control.commands.group("stop", "all", BY);
    await until(() => all("stopped"));
    for (const name of NAMES) expect(host.process(name).received, name).toEqual(["SIGTERM"]);
    expect(spawns).toBe(COUNT);
  });
});
