import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Engine } from "../../../src/app/engine.ts";
import { MAX_MEMBERS_PER_TURN } from "../../../src/app/processes/command-plan.ts";
import { memoryIntents } from "../../../src/app/state/intent-keeper.ts";
import { systemClock } from "../../../src/base/timing/clock.ts";
import { loadConfigObject } from "../../../src/config/load/load.ts";
import type { RequestOf } from "../../../src/contract/messages.ts";
import { LogBook } from "../../../src/log/log-book.ts";
import { FakeHost } from "../../../src/testing/fake-host.ts";
import { BY } from "../support/engines.ts";

const COUNT = 250;
/** The end of one turn of theirs and the beginning of the next may be in one of ours. */
const MAX_PER_TURN = 2 * MAX_MEMBERS_PER_TURN;

const indexOf = (name: string) => Number(name.slice("all/p".length));

/** Numbers per turn of the event loop. */
class PerTurn {
  readonly #counts = new Map<string, number>();
  readonly #most = new Map<string, number>();
  #isOver = false;

  constructor() {
    const turn = () => {
      this.#counts.clear();
      if (!this.#isOver) setImmediate(turn);
    };
    turn();
  }

  note(what: string): void {
    const count = (this.#counts.get(what) ?? 0) + 1;
    this.#counts.set(what, count);
    this.#most.set(what, Math.max(count, this.#most.get(what) ?? 0));
  }

  most(what: string): number {
    return this.#most.get(what) ?? 0;
  }

  end(): void {
    this.#isOver = true;
  }
}

describe(`a group of ${COUNT}`, () => {
  let engine: Engine;
  let host: FakeHost;
  let turns: PerTurn;
  /** Names by run, in the order of their first spawns. */
  const runs = new Map<string, string>();

  async function open(depends: (index: number) => string[] = () => []): Promise<void> {
    const processes = Object.fromEntries(
      Array.from({ length: COUNT }, (_, index) => [`all/p${index}`, { command: ["sleep", "1"], depends_on: depends(index) }]),
    );
    const answer = host.request.bind(host);
    host.request = (name, request) => {
      if (name === "spawn" || name === "stop") turns.note(name);
      if (name === "stop_runs") for (const _ of (request as RequestOf<"stop_runs">).stops) turns.note("stop");
      // On a busy machine what got no answer in time is sent again.
      if (name === "spawn") runs.set((request as { run_id: string }).run_id, (request as { spec: { name: string } }).spec.name);
      return answer(name, request);
    };
    engine = new Engine({
      config: loadConfigObject({ processes }, { base_dir: "/", state_dir: "/nowhere" }),
      clock: systemClock,
      log: new LogBook({ capacity: 100, now: Date.now }),
      intents: memoryIntents(),
      epoch: 1,
      link: host,
    });
    await until(() => engine.processTable.isHostReady());
    turns = new PerTurn();
    // Known from before: on a busy machine the host may be lost for a moment, and then all are told again.
    const requested = new Map(engine.control.state.processes().map((each) => [each.name, each.requested_state]));
    engine.events.subscribe((event) => {
      if (event.type !== "process_upsert") return;
      const { name, requested_state } = event.process;
      if (requested.get(name) !== requested_state) turns.note("told");
      requested.set(name, requested_state);
    });
  }

  /** Looks again in each turn. */
  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
  }
  const all = (state: string) => engine.control.state.processes().every((process) => process.state === state);

  beforeEach(() => {
    runs.clear();
    turns = new PerTurn();
    host = new FakeHost({ clock: systemClock, host: "bench" });
  });
  afterEach(async () => {
    turns.end();
    engine.close();
    await host.close();
  });

  it("is started, restarted and stopped some members a turn, however many writes they wait for together", async () => {
    await open();
    await engine.control.commands.group("start", "all", BY);
    expect(engine.control.state.processes().every(({ requested_state }) => requested_state === "start")).toBe(true);
    await until(() => all("started"));
    await engine.control.commands.group("restart", "all", BY);
    await until(() => runs.size === 2 * COUNT && all("started"));
    await engine.control.commands.group("stop", "all", BY);
    await until(() => all("stopped"));
    for (const what of ["told", "spawn", "stop"]) {
      expect(turns.most(what), what).toBeGreaterThan(0);
      expect(turns.most(what), what).toBeLessThanOrEqual(MAX_PER_TURN);
    }
  });

  it("is started dependencies first, also across turns, and a command that comes meanwhile acts after it", async () => {
    await open((index) => (index % 100 === 0 ? [] : [`all/p${index - 1}`]));
    const started = engine.control.commands.group("start", "all", BY);
    const stopped = engine.control.commands.process("stop", `all/p${COUNT - 50}`, BY);
    await Promise.all([started, stopped]);
    const below = (name: string) => indexOf(name) >= COUNT - 50;
    await until(() => engine.control.state.processes().every(({ name, state }) => state === (below(name) ? "stopped" : "started")));
    const commands = [...runs.values()];
    for (const name of commands) {
      const index = indexOf(name);
      if (index % 100 !== 0) expect(commands.indexOf(`all/p${index - 1}`)).toBeLessThan(commands.indexOf(name));
    }
  });
});
