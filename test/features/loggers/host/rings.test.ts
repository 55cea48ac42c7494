import { headers, type NatsConnection } from "@nats-io/nats-core";
import { expect, it } from "vitest";
import type { HandedOver } from "../../../../src/base/handed-over.ts";
import { subjectOfTopic } from "../../../../src/base/topics/topic-subject.ts";
import { MAX_PART_BYTES } from "../../../../src/contract/pages.ts";
import { Tap } from "../../../../src/features/data-plane/host/tap.ts";
import { LOGGER_REQUESTS, type LoggerSpec, MAX_LOGGERS, ringPage } from "../../../../src/features/loggers/contract.ts";
import { LoggerRings } from "../../../../src/features/loggers/host/logger-rings.ts";
import { RegistryRig, register } from "../../../bus/registry/registry-rig.ts";

const MIB = 1024 * 1024;

interface Read {
  received: bigint;
  published: bigint;
  sequence: bigint;
  text: string;
}

/** Rings of a broker with real clients. */
class RingsRig implements AsyncDisposable {
  readonly warnings: string[] = [];
  rings: LoggerRings;
  readonly registry: RegistryRig;
  maxMemory = 64 * MIB;

  readonly #tap: Tap;

  private constructor(registry: RegistryRig) {
    this.registry = registry;
    this.#tap = new Tap(registry.registry, (msg) => this.warnings.push(msg));
    this.rings = this.#begin();
  }

  #begin(taken?: HandedOver): LoggerRings {
    return new LoggerRings({ tap: this.#tap, memory: this.registry.broker.memory, warn: (msg) => this.warnings.push(msg), taken });
  }

  /** The loggers go on in the program that replaces this one. */
  replace(): void {
    const { state, ...rest } = this.rings.handOver();
    this.rings.close();
    this.rings = this.#begin({ ...rest, state: JSON.parse(JSON.stringify(state)) });
  }

  static async start(): Promise<RingsRig> {
    return new RingsRig(await RegistryRig.start());
  }

  set(name: string, topics: LoggerSpec["topics"], rest: Partial<LoggerSpec> = {}): void {
    const logger = { name, only_ts: false, is_started: true, topics, ...rest };
    this.rings.set(LOGGER_REQUESTS.logger_set.request.parse({ session: "s", logger, max_memory: this.maxMemory }));
  }

  report(logger: string, topic: string) {
    return this.rings.reports().rings.find((ring) => ring.logger === logger && ring.topic === topic);
  }

  /** All samples as a manager collects them. */
  read(logger: string, topic: string): Read[] {
    const { ring } = this.rings.ring({ session: "s", logger, topic });
    if (ring === null) return [];
    const parts: Uint8Array[] = [];
    let [from, skip] = [ring.first, 0];
    while (from < ring.end) {
      const part = this.rings.read({ session: "s", logger, topic, from, skip, until: ring.end });
      expect(part.data.length).toBeLessThanOrEqual(MAX_PART_BYTES);
      expect(part.from).toBe(from);
      parts.push(part.data);
      [from, skip] = [part.next, part.next_skip];
    }
    return decode(Buffer.concat(parts));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.rings.close();
    await this.registry[Symbol.asyncDispose]();
  }
}

function decode(bytes: Buffer): Read[] {
  const samples: Read[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at);
    samples.push({
      received: bytes.readBigUInt64LE(at + 4),
      published: bytes.readBigInt64LE(at + 12),
      sequence: bytes.readBigInt64LE(at + 20),
      text: bytes.toString("utf8", at + 28, at + 28 + length),
    });
    at += 28 + length;
  }
  return samples;
}

const topic = (name: string, log_size = 1_000, divisor = 1) => ({ name, log_size, divisor });
const texts = (samples: readonly Read[]) => samples.map(({ text }) => text);

/** Messages with the numbers from `first` to `last`. */
async function publish(program: NatsConnection, name: string, first: number, last: number): Promise<void> {
  for (let n = first; n <= last; n++) {
    const marks = headers();
    marks.set("Mgr-Seq", String(n));
    marks.set("Mgr-Time", String(1_700_000_000_000_000_000n + BigInt(n)));
    program.publish(subjectOfTopic(name), `é${n}`, { headers: marks });
  }
  await program.flush();
}

it("a ring keeps the last log_size samples with their times and sequence, in order", async () => {
  await using rig = await RingsRig.start();
  rig.set("arm", [topic("arm/state", 300)]);
  const program = await rig.registry.connect("p");
  await publish(program, "arm/state", 1, 1_000);
  const samples = rig.read("arm", "arm/state");
  expect(texts(samples)).toEqual(Array.from({ length: 300 }, (_, n) => `é${701 + n}`));
  expect(samples.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 300 }, (_, n) => BigInt(701 + n)));
  expect(samples[0]?.published).toBe(1_700_000_000_000_000_701n);
  const times = samples.map(({ received }) => received);
  expect(times).toEqual([...times].sort((a, b) => Number(a - b)));
  expect(rig.report("arm", "arm/state")).toMatchObject({ first: 700, end: 1_000, missed: 0, evicted: 0 });
});

it("samples, their numbers, what is missing and the memory stay when the daemon's program is replaced", async () => {
  await using rig = await RingsRig.start();
  rig.set("arm", [topic("arm/state", 300), topic("arm/none")]);
  rig.set("all", [topic("arm/state", 1_000, 2)]);
  rig.set("times", [topic("arm/state")], { only_ts: true });
  const program = await rig.registry.connect("p");
  await publish(program, "arm/state", 1, 501);
  const seen = () => ["arm", "all", "times"].map((logger) => [rig.report(logger, "arm/state"), rig.read(logger, "arm/state")]);
  const [before, used, memory] = [seen(), rig.rings.used, rig.registry.broker.memory.used];
  rig.replace();
  expect(seen()).toEqual(before);
  expect([rig.rings.used, rig.registry.broker.memory.used]).toEqual([used, memory]);
  // Message 502 is lost on the way.
  await publish(program, "arm/state", 503, 600);
  expect(texts(rig.read("arm", "arm/state")).at(-1)).toBe("é600");
  expect(rig.report("arm", "arm/state")).toMatchObject({ first: 299, end: 599, missed: 1 });
  const every2nd = texts(rig.read("all", "arm/state"));
  expect(every2nd.slice(249, 254)).toEqual(["é499", "é501", "é504", "é506", "é508"]);
  rig.rings.delete({ session: "s", name: "arm" });
  rig.rings.delete({ session: "s", name: "all" });
  rig.rings.delete({ session: "s", name: "times" });
  expect(rig.rings.used).toBe(0);
});

it("a logger of names with wildcard characters records these topics and no others", async () => {
  await using rig = await RingsRig.start();
  rig.set("odd", [topic("a[1]*")]);
  const program = await rig.registry.connect("p");
  program.publish(subjectOfTopic("a1x"), "other");
  program.publish(subjectOfTopic("a[1]*"), "this");
  await program.flush();
  expect(texts(rig.read("odd", "a[1]*"))).toEqual(["this"]);
});

it("divisor 7 keeps the first sample and each seventh after it; only_ts keeps times without payload", async () => {
  await using rig = await RingsRig.start();
  rig.set("seventh", [topic("a", 1_000, 7)]);
  rig.set("times", [topic("a")], { only_ts: true });
  const program = await rig.registry.connect("p");
  await publish(program, "a", 1, 50);
  expect(texts(rig.read("seventh", "a"))).toEqual(["é1", "é8", "é15", "é22", "é29", "é36", "é43", "é50"]);
  const times = rig.read("times", "a");
  expect(times.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 50 }, (_, n) => BigInt(n + 1)));
  expect(new Set(texts(times))).toEqual(new Set([""]));
  // Samples that the divisor leaves out are not missed.
  expect(rig.report("seventh", "a")).toMatchObject({ missed: 0 });
});

it("no sample is kept after the answer to a stop; those before stay", async () => {
  await using rig = await RingsRig.start();
  rig.set("arm", [topic("a")]);
  const program = await rig.registry.connect("p");
  await publish(program, "a", 1, 10);
  rig.set("arm", [topic("a")], { is_started: false });
  await publish(program, "a", 11, 20);
  expect(texts(rig.read("arm", "a"))).toEqual(Array.from({ length: 10 }, (_, n) => `é${n + 1}`));
});

it("messages that are published while a logger is stopped do not count as missed", async () => {
  await using rig = await RingsRig.start();
  const program = await rig.registry.connect("p");
  rig.set("arm", [topic("a")]);
  await publish(program, "a", 1, 10);
  rig.set("arm", [topic("a")], { is_started: false });
  await publish(program, "a", 11, 139);
  rig.set("arm", [topic("a")]);
  await publish(program, "a", 140, 141);
  await publish(program, "a", 143, 143);
  expect(rig.report("arm", "a")).toMatchObject({ first: 0, end: 13, missed: 1 });
});

it("a publisher that reconnects continues its ring, and gaps of its sequence are counted", async () => {
  await using rig = await RingsRig.start();
  rig.set("arm", [topic("a")]);
  const first = await rig.registry.connect("p");
  await publish(first, "a", 1, 2);
  await publish(first, "a", 5, 6);
  await first.close();
  const second = await rig.registry.connect("p");
  await publish(second, "a", 1, 2);
  expect(texts(rig.read("arm", "a"))).toEqual(["é1", "é2", "é5", "é6", "é1", "é2"]);
  expect(rig.report("arm", "a")).toMatchObject({ missed: 2 });
});

it("a publisher with a wrong sequence cannot break the reports of its host", async () => {
  await using rig = await RingsRig.start();
  rig.set("arm", [topic("a")]);
  const program = await rig.registry.connect("p");
  for (const sequence of ["1", "9999999999999999", "1", "9999999999999999"]) {
    const marks = headers();
    marks.set("Mgr-Seq", sequence);
    program.publish("topic.a", "x", { headers: marks });
  }
  await program.flush();
  expect(ringPage.parse(rig.rings.reports().rings)).toMatchObject([{ end: 4, missed: Number.MAX_SAFE_INTEGER }]);
});

it("the same configuration again keeps all samples; a changed one keeps those of its unchanged topics", async () => {
  await using rig = await RingsRig.start();
  rig.set("arm", [topic("a"), topic("b")]);
  const program = await rig.registry.connect("p");
  await publish(program, "a", 1, 3);
  await publish(program, "b", 1, 3);
  rig.set("arm", [topic("a"), topic("b")]);
  expect(texts(rig.read("arm", "b"))).toHaveLength(3);
  rig.set("arm", [topic("a"), topic("b", 10)]);
  expect([texts(rig.read("arm", "a")).length, texts(rig.read("arm", "b")).length]).toEqual([3, 0]);
  rig.rings.delete({ session: "s", name: "arm" });
  expect(rig.rings.used).toBe(0);
  expect(() => rig.read("arm", "a")).toThrow("this host has no logger 'arm' with the topic 'a'");
});

it("two loggers on one topic share its payloads", async () => {
  await using rig = await RingsRig.start();
  rig.set("one", [topic("a")]);
  const program = await rig.registry.connect("p");
  const send = async (payload: string) => {
    program.publish("topic.a", payload);
    await program.flush();
  };
  rig.set("two", [topic("a")]);
  await send("x".repeat(500_000));
  expect(rig.rings.used).toBeLessThan(600_000);
  rig.rings.delete({ session: "s", name: "one" });
  expect(rig.rings.used).toBeGreaterThan(500_000);
  expect(texts(rig.read("two", "a"))).toEqual(["x".repeat(500_000)]);
  rig.rings.delete({ session: "s", name: "two" });
  expect(rig.rings.used).toBe(0);
});

it("beyond the memory of all rings the oldest samples of the largest one are dropped, counted, and reported once", async () => {
  await using rig = await RingsRig.start();
  rig.maxMemory = 2 * MIB;
  rig.set("all", [topic("large"), topic("small")]);
  const program = await rig.registry.connect("p");
  await publish(program, "small", 1, 100);
  for (let n = 1; n <= 60; n++) program.publish("topic.large", `${n} ${"x".repeat(100_000)}`);
  await program.flush();
  expect(rig.rings.used).toBeLessThanOrEqual(2 * MIB);
  expect(texts(rig.read("all", "small"))).toHaveLength(100);
  const kept = rig.read("all", "large").map(({ text }) => Number(text.split(" ")[0]));
  const evicted = rig.report("all", "large")?.evicted ?? 0;
  expect(evicted).toBeGreaterThan(0);
  expect(kept).toEqual(Array.from({ length: 60 - evicted }, (_, n) => evicted + 1 + n));
  expect(rig.warnings).toEqual([expect.stringContaining("loggers use all of their 2 MiB")]);
});

it("a sample larger than an answer is read in pieces; if it is dropped meanwhile, the answer begins at a whole one", async () => {
  await using rig = await RingsRig.start();
  rig.set("camera", [topic("image", 2)]);
  const program = await rig.registry.connect("p");
  const image = (n: number) => `${n}${"x".repeat(900_000)}`;
  const send = async (n: number) => {
    program.publish("topic.image", image(n));
    await program.flush();
  };
  await send(1);
  await send(2);
  expect(texts(rig.read("camera", "image"))).toEqual([image(1), image(2)]);
  const ask = { session: "s", logger: "camera", topic: "image", until: 2 };
  const first = rig.rings.read({ ...ask, from: 0, skip: 0 });
  expect(first).toMatchObject({ from: 0, next: 0, next_skip: MAX_PART_BYTES });
  await send(3);
  const after = rig.rings.read({ ...ask, from: first.next, skip: first.next_skip });
  expect(after.from).toBe(1);
  expect(Buffer.from(after.data).readUInt32LE(0)).toBe(image(2).length);
});

it("samples of an earlier definition are dropped when the publisher changes it, and this is reported", async () => {
  await using rig = await RingsRig.start();
  rig.set("arm", [topic("a")]);
  const run = async (definition: string, text: string) => {
    const program = await rig.registry.connect("p");
    await register(program, { name: "p", topics: [{ name: "a", encoding: "json", definition, keep_last: false }] });
    program.publish("topic.a", text);
    await program.flush();
    await program.close();
  };
  await run('{"title":"One"}', "1");
  await run('{"title":"One"}', "2");
  expect(texts(rig.read("arm", "a"))).toEqual(["1", "2"]);
  await run('{"title":"Two"}', "3");
  expect(texts(rig.read("arm", "a"))).toEqual(["3"]);
  expect(rig.report("arm", "a")).toMatchObject({ definition_name: "Two", encoding: "json" });
  expect(rig.warnings).toEqual([expect.stringContaining("logger 'arm' drops 2 samples of 'a'")]);
});

it("reports are complete, and more loggers than the host keeps are refused in words", async () => {
  await using rig = await RingsRig.start();
  for (let n = 0; n < MAX_LOGGERS; n++) rig.set(`l${n}`, [topic("a"), topic("b"), topic("c")]);
  expect(() => rig.set("more", [])).toThrow(`this host has ${MAX_LOGGERS} loggers; delete one first`);
  const { loggers, rings } = rig.rings.reports();
  expect(loggers).toHaveLength(MAX_LOGGERS);
  expect(new Set(rings.map(({ logger, topic }) => `${logger} ${topic}`)).size).toBe(3 * MAX_LOGGERS);
});
