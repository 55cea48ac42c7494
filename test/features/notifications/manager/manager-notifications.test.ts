import { expect, test } from "vitest";
import { DomainEvents } from "../../../../src/actors/domain-events.ts";
import { type Condition, Conditions } from "../../../../src/app/conditions.ts";
import { parseConfigText } from "../../../../src/config/load/load.ts";
import { type KeptState, noKeptFile } from "../../../../src/features/notifications/manager/kept-state.ts";
import { ManagerNotifications } from "../../../../src/features/notifications/manager/manager-notifications.ts";
import { LogBook } from "../../../../src/log/log-book.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

const fail = (error: unknown) => {
  throw error;
};
const parsed = (rules: string, tag = "red") =>
  parseConfigText(
    `instance: {name: t, manager: ":0"}\nnotifications: {ways: {w: {browser: {}}}, rules: [${rules}]}\nprocesses: {a: {command: x, tags: [${tag}]}, b: {command: x}}`,
    "mgr.yaml",
  );
const failed = (process: string): Condition => ({ kind: "failed", process, host: "here", text: `process ${process} failed` });

/** One life of a manager. */
class Life {
  readonly clock = new SimulatedClock();
  readonly conditions = new Conditions(fail);
  readonly told: string[] = [];
  readonly good = new Set<string>();
  /** Whether the receiver never answers. */
  isMute = false;
  hosts = [{ name: "here", state: "ready" }];
  kept: KeptState;
  config: ReturnType<typeof parsed>;
  readonly notifications: ManagerNotifications;

  constructor(rules: string, kept: KeptState = noKeptFile.content) {
    this.kept = kept;
    this.config = parsed(rules);
    const options = {
      clock: this.clock,
      conditions: this.conditions,
      config: () => this.config,
      events: new DomainEvents(fail),
      hostEntries: () => this.hosts,
      log: new LogBook({ capacity: 100, now: () => this.clock.now() }),
      processes: {
        process: (name: string) => ({ state: this.good.has(name) ? "started" : "stopped", has_ready_state: false, restarting: false }),
      },
      file: { content: kept, save: (content: KeptState) => this.#keep(content) },
      send: async (_way: string, { items }: { items: readonly { status: string; process: string | null }[] }) => {
        this.told.push(...items.map(({ status, process }) => `${status} ${process}`));
        if (this.isMute) await new Promise(() => {});
        return { kind: "sent", text: "ok" };
      },
    };
    // Only these parts of the core are used.
    this.notifications = new ManagerNotifications(options as unknown as ConstructorParameters<typeof ManagerNotifications>[0]);
    this.notifications.begin();
  }

  async #keep(content: KeptState): Promise<void> {
    this.kept = JSON.parse(JSON.stringify(content));
  }

  /** The manager ends, and another one continues with what is on disk. */
  next(rules: string): Life {
    this.notifications.close();
    expect(this.clock.pending).toBe(0);
    return new Life(rules, this.kept);
  }
}

test("the next manager does not repeat what was notified, and says that it is over if the process is good", async () => {
  const first = new Life("{ways: [w]}");
  for (const name of ["a", "b", "c"]) first.conditions.raise(failed(name));
  await first.clock.advance(10_000);
  expect(first.told).toEqual(["raised a", "raised b", "raised c"]);

  const second = first.next("{ways: [w]}");
  second.conditions.raise(failed("a"));
  second.good.add("b");
  await second.clock.advance(50_000);
  expect(second.told).toEqual([]);
  await second.clock.advance(30_000);
  expect(second.told).toEqual(["recovered b"]);
  second.notifications.close();
});

test("what is about a host that is away is not over before the host is back", async () => {
  const first = new Life("{ways: [w]}");
  first.conditions.raise(failed("a"));
  await first.clock.advance(10_000);
  const second = first.next("{ways: [w]}");
  second.good.add("a");
  second.hosts = [{ name: "here", state: "lost" }];
  await second.clock.advance(200_000);
  expect(second.told).toEqual([]);
  second.hosts = [{ name: "here", state: "ready" }];
  await second.clock.advance(70_000);
  expect(second.told).toEqual(["recovered a"]);
  second.notifications.close();
});

test("another configuration applies to what is there, and a rule keeps what it has notified", async () => {
  const life = new Life("{ways: [w], name: red, tags: [red]}");
  for (const name of ["a", "b"]) life.conditions.raise(failed(name));
  await life.clock.advance(10_000);
  expect(life.told).toEqual(["raised a"]);
  life.config = parsed("{ways: [w], name: red, tags: [red]}, {ways: [w], processes: [b], group_wait: 0s}");
  life.notifications.reconfigure();
  await life.clock.advance(10_000);
  expect(life.told).toEqual(["raised a", "raised b"]);
  life.notifications.close();
});

test("a silence outlives the manager, and what still lasts at its end is notified then", async () => {
  const first = new Life("{ways: [w]}");
  await first.notifications.silence({ pattern: "a", seconds: 600, reason: "", by: "ada" });
  const second = first.next("{ways: [w]}");
  second.conditions.raise(failed("a"));
  await second.clock.advance(590_000);
  expect(second.told).toEqual([]);
  expect(second.notifications.overview().rules[0]?.matches).toMatchObject([{ process: "a", state: "silenced" }]);
  await second.clock.advance(20_000);
  expect(second.told).toEqual(["raised a"]);
  await expect(second.notifications.endSilence("nothing", "ada")).rejects.toMatchObject({ code: "not_found" });
  second.notifications.close();
});

test("after a reload a rule that has not changed continues with its delays and its rate limit", async () => {
  const rules = "{ways: [w], name: slow, processes: [a], for: 60s}, {ways: [w], name: few, processes: [b], at_most: 1, within: 1h}";
  const life = new Life(rules);
  for (const name of ["a", "b"]) life.conditions.raise(failed(name));
  await life.clock.advance(40_000);
  expect(life.told).toEqual(["raised b"]);
  life.config = parsed(`${rules}, {ways: [w], processes: [c]}`);
  life.notifications.reconfigure();
  life.conditions.raise({ ...failed("b"), kind: "host_lost" });
  await life.clock.advance(30_000);
  expect(life.told).toEqual(["raised b", "raised a"]);
  await life.clock.advance(3_600_000);
  expect(life.told).toEqual(["raised b", "raised a", "raised b"]);
  await life.notifications.close();
});

test("after a reload a rule that has changed counts its delays from the reload", async () => {
  const life = new Life("{ways: [w], for: 60s}");
  life.conditions.raise(failed("a"));
  await life.clock.advance(40_000);
  life.config = parsed("{ways: [w], for: 61s}");
  life.notifications.reconfigure();
  await life.clock.advance(50_000);
  expect(life.told).toEqual([]);
  await life.clock.advance(30_000);
  expect(life.told).toEqual(["raised a"]);
  await life.notifications.close();
});

test("a rule that has not changed forgets after a reload the processes without its tag", async () => {
  const life = new Life("{ways: [w], tags: [red], for: 60s}");
  life.conditions.raise(failed("a"));
  life.config = parsed("{ways: [w], tags: [red], for: 60s}", "blue");
  life.notifications.reconfigure();
  await life.clock.advance(120_000);
  expect(life.told).toEqual([]);
  await life.notifications.close();
});

const essential: Condition = { kind: "essential_ended", process: "a", host: "here", text: "essential process a ended" };

test("the end of an essential process is sent before the manager ends because of it, whatever the delays of the rule", async () => {
  const first = new Life("{ways: [w], for: 30s, group_wait: 1m}");
  first.conditions.raise(essential);
  first.conditions.raise(failed("b"));
  await first.notifications.close();
  expect(first.told).toEqual(["raised a"]);
  expect(first.kept).toMatchObject({ waiting: [], history: [{ state: "sent", attempts: 1 }] });
  const second = new Life("{ways: [w], for: 30s, group_wait: 1m}", first.kept);
  await second.clock.advance(20_000);
  expect(second.told).toEqual([]);
  await second.notifications.close();
});

test("a receiver that does not answer delays the end of the manager by five seconds, and the next one sends at once", async () => {
  const first = new Life("{ways: [w]}");
  first.isMute = true;
  first.conditions.raise(essential);
  let hasEnded = false;
  const closing = first.notifications.close().then(() => {
    hasEnded = true;
  });
  await first.clock.advance(4_900);
  expect(hasEnded).toBe(false);
  await first.clock.advance(200);
  await closing;
  expect(first.clock.pending).toBe(0);
  const second = new Life("{ways: [w]}", first.kept);
  await second.clock.advance(0);
  expect(second.told).toEqual(["raised a"]);
  await second.notifications.close();
});
