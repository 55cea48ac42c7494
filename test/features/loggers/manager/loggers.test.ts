import { afterEach, expect, it, vi } from "vitest";
import type { DomainEvent } from "../../../../src/actors/domain-events.ts";
import { loggers as loggersFeature } from "../../../../src/features/loggers/manager/index.ts";
import type { DaemonLogger } from "../../../../src/features/loggers/wire.ts";
import { DataPlaneRig } from "../../data-plane/manager/data-plane-rig.ts";

// A manager with two hosts that have brokers. The program publishes `arm/state` on host two, whose link can be cut.

let rig: DataPlaneRig;
let publish: (count: number) => Promise<void>;
const TOPIC = { name: "arm/state", log_size: 100, divisor: 1 };

async function begin(configured: object = {}): Promise<void> {
  rig = await DataPlaneRig.start({ loggers: configured });
  const program = await rig.client(rig.two, "arm", ["arm/state"]);
  publish = async (count) => {
    for (let number = 0; number < count; number++) program.publish("topic.arm.state", String(number));
    await program.flush();
  };
  await expect.poll(() => rig.topic("arm/state")?.publisher_host, { timeout: 60_000 }).toBe("two");
}
afterEach(() => rig?.[Symbol.asyncDispose]());

const loggers = () => rig.engine.feature(loggersFeature);
const logger = (name: string) =>
  loggers()
    .list()
    .find((each) => each.name === name);
const upserts = (name: string): DaemonLogger[] =>
  rig.events.flatMap((event: DomainEvent) => (event.type === "logger_upsert" && event.logger.name === name ? event.logger : []));
/** The logger as clients were told last. */
const untilReported = (name: string, expected: object) =>
  expect.poll(() => upserts(name).at(-1), { timeout: 60_000 }).toMatchObject(expected);

it("a logger counts samples of the publisher's host, keeps the last ones, and ends when it is stopped and deleted", async () => {
  await begin();
  await loggers().configure("a", { only_ts: false, topics: [TOPIC] }, "ada");
  expect(logger("a")).toMatchObject({
    enabled: false,
    active_topics: [],
    topics: [{ ...TOPIC, enabled: false, n_samples: 0, port: "two:arm/state" }],
  });
  await publish(5);
  await loggers().start("a", "ada");
  await expect(loggers().configure("a", { only_ts: true, topics: [] }, "ada")).rejects.toMatchObject({ code: "conflict" });
  await publish(150);
  await untilReported("a", { enabled: true, active_topics: ["arm/state"], topics: [{ active: true, n_samples: 100 }] });
  await loggers().stop("a", "ada");
  await publish(1);
  await untilReported("a", { enabled: false, active_topics: [], topics: [{ enabled: false, active: false, n_samples: 100 }] });
  await loggers().remove("a", "ada");
  await expect.poll(() => rig.events.some((event) => event.type === "logger_remove" && event.name === "a")).toBe(true);
  for (const command of [loggers().start("a", "ada"), loggers().stop("a", "ada"), loggers().remove("a", "ada")])
    await expect(command).rejects.toMatchObject({ code: "not_found", message: "there is no logger 'a'" });
});

it("a topic that appears later joins; it is only active while its publisher is there", async () => {
  await begin();
  await loggers().configure("late", { only_ts: true, topics: [{ name: "late/one", log_size: 10, divisor: 7 }] }, "ada");
  await loggers().start("late", "ada");
  expect(logger("late")).toMatchObject({ enabled: true, active_topics: [], topics: [{ name: "late/one", port: "", n_samples: 0 }] });
  const program = await rig.client(rig.one, "late", ["late/one"]);
  for (let number = 0; number < 15; number++) program.publish("topic.late.one", String(number));
  await untilReported("late", { active_topics: ["late/one"], topics: [{ n_samples: 3, only_ts: true, divisor: 7, port: "one:late/one" }] });
  await program.close();
  await untilReported("late", { enabled: true, active_topics: [], topics: [{ n_samples: 3 }] });
  await loggers().remove("late", "ada");
});

it("a lost host keeps its last counts and continues to record; it receives the changes when it is back", async () => {
  await begin();
  for (const name of ["kept", "stopped", "deleted"]) {
    await loggers().configure(name, { only_ts: false, topics: [TOPIC] }, "ada");
    await loggers().start(name, "ada");
  }
  await publish(10);
  for (const name of ["kept", "stopped", "deleted"]) await untilReported(name, { topics: [{ active: true, n_samples: 10 }] });
  rig.two.cut(true);
  await untilReported("kept", { enabled: true, active_topics: [], topics: [{ active: false, n_samples: 10 }] });
  await publish(20);
  await loggers().stop("stopped", "ada");
  await loggers().remove("deleted", "ada");
  expect(logger("kept")).toMatchObject({ topics: [{ n_samples: 10 }] });
  const requests = vi.spyOn(rig.two.link, "request");
  rig.two.cut(false);
  await untilReported("kept", { active_topics: ["arm/state"], topics: [{ n_samples: 30 }] });
  await untilReported("stopped", { enabled: false, topics: [{ n_samples: 30 }] });
  // The host is told after it has reported what it has.
  const stop = expect.objectContaining({ logger: expect.objectContaining({ name: "stopped", is_started: false }) });
  await expect.poll(() => requests.mock.calls).toContainEqual(["logger_set", stop]);
  await publish(5);
  await untilReported("kept", { topics: [{ n_samples: 35 }] });
  expect(logger("stopped")).toMatchObject({ topics: [{ n_samples: 30 }] });
  expect(requests).toHaveBeenCalledWith("logger_delete", expect.objectContaining({ name: "deleted" }));
  for (const name of ["kept", "stopped"]) await loggers().remove(name, "ada");
});

it("topics are checked before anything is changed", async () => {
  await begin();
  const wrong = [[{ ...TOPIC, name: "arm//state" }], [TOPIC, TOPIC]];
  for (const topics of wrong)
    await expect(loggers().configure("wrong", { only_ts: false, topics }, "ada")).rejects.toMatchObject({ code: "bad_field" });
  expect(logger("wrong")).toBeUndefined();
});

it("loggers of the configuration record from the start; a reload adds, changes and removes them", async () => {
  const named: Record<string, object> = {
    kept: { topics: [TOPIC] },
    off: { topics: [TOPIC], autostart: false },
    gone: { topics: [TOPIC] },
  };
  await begin({ named });
  const counted = (name: string) => logger(name)?.topics[0]?.n_samples ?? 0;
  /** Hosts are told after a reload: a sample that is published at once may be too early. */
  const untilRecorded = (name: string) => {
    const publishOne = async () => {
      await publish(1);
      return counted(name);
    };
    return expect.poll(publishOne, { timeout: 60_000 }).toBeGreaterThan(0);
  };
  for (const name of ["kept", "gone"]) await untilRecorded(name);
  expect(logger("off")).toMatchObject({ enabled: false, topics: [{ n_samples: 0 }] });
  // What was chosen at run time holds as long as the entry stays as it is.
  await loggers().start("off", "ada");
  const before = counted("kept");
  delete named.gone;
  named.added = { topics: [{ ...TOPIC, divisor: 7 }], only_ts: true };
  await rig.engine.control.configuration.reload("ada");
  await expect
    .poll(() => rig.events.some((event) => event.type === "logger_remove" && event.name === "gone"), { timeout: 60_000 })
    .toBe(true);
  for (const name of ["added", "off"]) await untilRecorded(name);
  expect(logger("added")).toMatchObject({ enabled: true, topics: [{ divisor: 7, only_ts: true }] });
  expect(counted("kept")).toBeGreaterThanOrEqual(before);
  expect(logger("gone")).toBeUndefined();
  named.off = { topics: [{ ...TOPIC, log_size: 5 }], autostart: false };
  await rig.engine.control.configuration.reload("ada");
  await untilReported("off", { enabled: false, topics: [{ log_size: 5, n_samples: 0 }] });
});

it("a command whose logger is deleted, or whose actor ends, before it is carried out is refused", async () => {
  await begin();
  const { request } = rig.two.link;
  let isHung = () => {};
  const hung = new Promise<void>((resolve) => {
    isHung = resolve;
  });
  for (const name of ["deleted", "failed"]) await loggers().configure(name, { only_ts: false, topics: [TOPIC] }, "ada");
  vi.spyOn(rig.two.link, "request").mockImplementation((...args) => {
    if (args[0] !== "logger_set") return request(...args);
    isHung();
    return new Promise(() => {});
  });
  const deleted = expect(loggers().start("deleted", "ada")).rejects.toMatchObject({ code: "conflict" });
  const failed = expect(loggers().start("failed", "ada")).rejects.toMatchObject({ code: "internal" });
  await hung;
  await loggers().remove("deleted", "ada");
  rig.engine.system.stop("logger", "failed");
  await Promise.all([deleted, failed]);
});
