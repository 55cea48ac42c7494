import { afterEach, describe, expect, test } from "vitest";
import { Engine } from "../../../src/app/engine.ts";
import { loadConfigObject } from "../../../src/config/load/load.ts";
import { LogBook } from "../../../src/log/log-book.ts";
import { testClock } from "../../actors/support/clock.ts";
import { BY, Intents } from "../support/engines.ts";
import { FakeHost } from "../support/fake-host.ts";
import { settled } from "../support/scripted-link.ts";

type OnStop = "stop" | "restart" | "keep";

/** Processes over a host that runs nothing and ends at once what it is asked to stop. Each names what it needs. */
class Bench {
  readonly clock = testClock();
  readonly host = new FakeHost(() => this.clock.now());
  readonly intents = new Intents();
  readonly log = new LogBook({ capacity: 1_000, now: () => this.clock.now() });
  readonly #config;
  #epoch = 0;
  engine: Engine;

  constructor(needs: Record<string, Record<string, OnStop>>) {
    const processes = Object.entries(needs).map(([name, on]) => {
      const depends_on = Object.fromEntries(Object.entries(on).map(([needed, on_stop]) => [needed, { on_stop }]));
      return [name, { command: "run", autostart: true, depends_on }] as const;
    });
    this.#config = loadConfigObject(
      { instance: { name: "bench" }, processes: Object.fromEntries(processes) },
      { base_dir: "/", state_dir: "/nowhere" },
    );
    this.host.onStop = (name) => queueMicrotask(() => this.host.end(name, { code: null, signal: "SIGTERM" }));
    this.engine = this.#open();
  }

  static async running(needs: Record<string, Record<string, OnStop>>): Promise<Bench> {
    const bench = new Bench(needs);
    open.push(bench);
    await bench.#begin();
    expect(bench.running).toBe(Object.keys(needs).join(" "));
    return bench;
  }

  /** Names of what runs, in the order of the configuration. */
  get running(): string {
    return this.engine.processTable
      .names()
      .filter((name) => this.engine.processTable.stateOf(name) === "started")
      .join(" ");
  }

  async command(verb: "start" | "stop" | "restart", name: string): Promise<string> {
    this.engine.control.commands.process(verb, name, BY);
    await this.#settle();
    return this.running;
  }

  async replaceManager(): Promise<void> {
    this.close();
    this.host.listeners.clear();
    this.engine = this.#open();
    await this.#begin();
  }

  close(): void {
    this.engine.close();
  }

  #open(): Engine {
    return new Engine({
      config: this.#config,
      clock: this.clock,
      log: this.log,
      intents: this.intents,
      epoch: ++this.#epoch,
      link: this.host,
    });
  }

  async #begin(): Promise<void> {
    this.host.beatNow();
    await this.#settle();
  }

  async #settle(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await settled();
  }
}

const open: Bench[] = [];
afterEach(() => {
  for (const bench of open.splice(0)) bench.close();
});

describe("on_stop: restart", () => {
  test("after stop and start of the dependency the dependent is started again", async () => {
    const bench = await Bench.running({ db: {}, api: { db: "restart" }, web: { db: "stop" }, log: { db: "keep" } });
    expect(await bench.command("stop", "db")).toBe("log");
    expect(bench.engine.control.state.process("api")).toMatchObject({ state: "stopped", requested_state: "stop" });
    expect(await bench.command("start", "db")).toBe("db api log");
    const said = bench.log.entries().map(({ msg }) => msg);
    expect(said).toContain("the request for 'db' also stops what needs it, until it is started again: 'api'");
    expect(said).toContain("the request for 'db' also starts what was stopped with it: 'api'");
  });

  test("also by a restart, by a dependent that needs it, and by the group", async () => {
    const bench = await Bench.running({ "g/db": {}, api: { "g/db": "restart" }, web: { "g/db": "stop" } });
    for (const start of [
      () => bench.command("restart", "g/db"),
      () => bench.command("start", "web"),
      async () => {
        bench.engine.control.commands.group("start", "g", BY);
        return bench.command("start", "g/db");
      },
    ]) {
      expect(await bench.command("stop", "g/db")).toBe("");
      expect(await start()).toContain("g/db api");
    }
  });

  test("each entry names the user and the request that stopped it, also after a manager restart", async () => {
    const bench = await Bench.running({ db: {}, api: { db: "stop" }, web: { api: "stop" }, log: { db: "keep" } });
    const origin = (name: string) => {
      const { requested_by, stopped_with, stops_with } = bench.engine.control.state.process(name) ?? {};
      return { requested_by, stopped_with, stops_with };
    };
    expect(origin("web")).toEqual({ requested_by: null, stopped_with: null, stops_with: ["api"] });
    await bench.command("stop", "db");
    for (let manager = 1; manager <= 2; manager++) {
      expect(origin("db")).toEqual({ requested_by: BY, stopped_with: null, stops_with: [] });
      expect(origin("api")).toEqual({ requested_by: BY, stopped_with: "db", stops_with: ["db"] });
      expect(origin("web")).toEqual({ requested_by: BY, stopped_with: "api", stops_with: ["api"] });
      expect(origin("log")).toEqual({ requested_by: null, stopped_with: null, stops_with: [] });
      await bench.replaceManager();
    }
    await bench.command("start", "web");
    expect(origin("api")).toEqual({ requested_by: BY, stopped_with: null, stops_with: ["db"] });
  });

  test("while it is still being stopped", async () => {
    const bench = await Bench.running({ db: {}, api: { db: "restart" } });
    bench.engine.control.commands.process("stop", "db", BY);
    expect(await bench.command("start", "db")).toBe("db api");
  });

  test("also by the manager after this one", async () => {
    const bench = await Bench.running({ db: {}, api: { db: "restart" } });
    await bench.command("stop", "db");
    await bench.replaceManager();
    expect(bench.running).toBe("");
    expect(await bench.command("start", "db")).toBe("db api");
    // Once: it is a process like any other again.
    await bench.command("stop", "api");
    await bench.replaceManager();
    await bench.command("stop", "db");
    expect(await bench.command("start", "db")).toBe("db");
  });

  test("the end of a manager does not count as a stop", async () => {
    const bench = await Bench.running({ db: {}, api: { db: "restart" } });
    await bench.command("stop", "db");
    await bench.engine.stopEverything();
    await bench.replaceManager();
    expect(await bench.command("start", "db")).toBe("db api");
  });

  test("a stop of the dependent cancels it", async () => {
    const bench = await Bench.running({ db: {}, api: { db: "restart" } });
    await bench.command("stop", "db");
    await bench.command("stop", "api");
    expect(await bench.command("start", "db")).toBe("db");
  });

  test("what did not run does not start", async () => {
    const bench = await Bench.running({ db: {}, api: { db: "restart" } });
    await bench.command("stop", "api");
    await bench.command("stop", "db");
    expect(await bench.command("start", "db")).toBe("db");
  });

  test("a chain is started again as far as its on_stop says", async () => {
    const bench = await Bench.running({
      db: {},
      api: { db: "restart" },
      web: { api: "restart" },
      ads: { web: "stop" },
      bot: { ads: "restart" },
    });
    expect(await bench.command("stop", "db")).toBe("");
    expect(await bench.command("start", "db")).toBe("db api web");
    // What was stopped along with 'ads' comes back with it.
    expect(await bench.command("start", "ads")).toBe("db api web ads bot");
  });

  test("a dependent that was stopped with two dependencies starts again with the second", async () => {
    const bench = await Bench.running({ db: {}, mq: {}, api: { db: "restart", mq: "restart" } });
    await bench.command("stop", "db");
    await bench.command("stop", "mq");
    expect(await bench.command("start", "db")).toBe("db");
    expect(await bench.command("start", "mq")).toBe("db mq api");
  });

  test("a dependent that was stopped with two dependencies stays stopped if one of them says so", async () => {
    const bench = await Bench.running({ db: {}, mq: {}, api: { db: "restart", mq: "stop" } });
    await bench.command("stop", "db");
    await bench.command("stop", "mq");
    await bench.command("start", "db");
    expect(await bench.command("start", "mq")).toBe("db mq");
  });
});
