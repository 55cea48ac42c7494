import { headers } from "@nats-io/nats-core";
import { describe, expect, it } from "vitest";
import { MemoryBudget } from "../../../src/bus/broker/queues/memory-budget.ts";
import { MAX_CLIENT_TOPICS } from "../../../src/contract/registry.ts";
import { RawClient } from "../bus-rig.ts";
import { collect, RegistryRig, register } from "./registry-rig.ts";

const STATE = { name: "arm/state", definition: "float64 x", definition_name: "arm/msg/State", encoding: "cdr", keep_last: false };

it("a registered topic is shown with its definition and what its publisher has sent", async () => {
  await using rig = await RegistryRig.start();
  const publisher = await rig.client("driver", [STATE]);
  expect(rig.topic("arm/state")).toMatchObject({
    subject: "topic.arm.state",
    connection: rig.client$("driver")?.connection,
    reserved: true,
    definition: "float64 x",
    definition_name: "arm/msg/State",
    encoding: "cdr",
    counters: { packets: 0, bytes: 0, last_size: 0 },
  });
  publisher.publish("topic.arm.state", "12345");
  publisher.publish("topic.arm.state", "123");
  await publisher.flush();
  expect(rig.topic("arm/state")?.counters).toMatchObject({ packets: 2, bytes: 8, last_size: 3, dropped: 0 });
});

it("a topic has one publisher: a second registration names the first, and a publish by another is a permission error by subject", async () => {
  await using rig = await RegistryRig.start();
  await rig.client("driver", [STATE]);
  const other = await rig.connect("other");
  const answer = await register(other, { name: "other", topics: [{ name: "arm/free", encoding: "raw" }, STATE] });
  const message = expect.stringMatching(/'arm\/state'.*'driver'/);
  expect(answer).toMatchObject({ ok: true, problems: [{ topic: "arm/state", code: "conflict", message }] });
  // Everything else is registered.
  expect(rig.topic("arm/free")?.connection).toBe(rig.client$("other")?.connection);
  const refused = statusError(other);
  const received = collect(other, "topic.arm.state");
  other.publish("topic.arm.state", "mine");
  await other.flush();
  expect(await refused).toContain('Permissions Violation for Publish to "topic.arm.state"');
  expect(received).toEqual([]);
  expect(rig.topic("arm/state")?.counters.packets).toBe(0);
});

it("a new registration replaces the previous one; a released topic is free for the next client", async () => {
  await using rig = await RegistryRig.start();
  const first = await rig.client("first", [STATE, { name: "arm/mode", encoding: "raw" }]);
  await register(first, { name: "first", topics: [{ name: "arm/mode", encoding: "raw" }] });
  expect(rig.topic("arm/state")).toBeUndefined();
  await rig.client("second", [STATE]);
  expect(rig.topic("arm/state")?.connection).toBe(rig.client$("second")?.connection);
  await first.close();
  await expect.poll(() => rig.topic("arm/mode")).toBeUndefined();
});

it("a program that never registers is shown with what it publishes; a registration replaces that", async () => {
  await using rig = await RegistryRig.start();
  const plain = await rig.connect("plain");
  plain.publish("topic.arm.raw", "x");
  plain.publish("topic.not%61topic", "x");
  plain.publish("elsewhere", "x");
  await plain.flush();
  const { topics } = rig.registry.tables();
  expect(topics.map(({ name }) => name)).toEqual(["arm/raw"]);
  expect(topics[0]).toMatchObject({ reserved: false, encoding: "raw", definition: "", counters: { packets: 1 } });
  const second = await rig.connect("second");
  second.publish("topic.arm.raw", "y");
  await second.flush();
  await plain.close();
  // The other program goes on publishing it.
  await expect.poll(() => rig.topic("arm/raw")?.connection).toBe(rig.client$("second")?.connection);
  await rig.client("owner", [{ name: "arm/raw", encoding: "raw" }]);
  expect(rig.topic("arm/raw")).toMatchObject({ reserved: true, counters: { packets: 0 } });
});

it("keep_last: each new subscriber gets the newest message, marked, with the headers it was sent with", async () => {
  await using rig = await RegistryRig.start();
  const publisher = await rig.client("driver", [
    { ...STATE, keep_last: true },
    { name: "arm/other", encoding: "raw" },
  ]);
  const seq = headers();
  seq.set("Mgr-Seq", "2");
  publisher.publish("topic.arm.state", "old");
  publisher.publish("topic.arm.state", "new", { headers: seq });
  publisher.publish("topic.arm.other", "not kept");
  await publisher.flush();
  const reader = await rig.connect("reader");
  const [exact, wild, live] = [collect(reader, "topic.arm.state"), collect(reader, "topic.arm.*"), collect(reader, "topic.arm.other")];
  const grouped: string[] = [];
  reader.subscribe("topic.arm.state", { queue: "q", callback: (_error, message) => void grouped.push(message.string()) });
  await reader.flush();
  for (const messages of [exact, wild]) {
    await expect.poll(() => messages.map((message) => message.string())).toEqual(["new"]);
    expect(messages[0]?.headers?.get("Mgr-Last")).toBe("1");
    expect(messages[0]?.headers?.get("Mgr-Seq")).toBe("2");
  }
  expect(live).toEqual([]);
  expect(grouped).toEqual([]);
  publisher.publish("topic.arm.state", "live");
  await expect.poll(() => exact.length).toBe(2);
  expect(exact[1]?.headers?.get("Mgr-Last") ?? "").toBe("");
});

it("a topic that was lost to another host can be neither published nor registered", async () => {
  await using rig = await RegistryRig.start();
  const publisher = await rig.client("driver", [STATE]);
  rig.registry.loseTopics(new Map([["topic.arm.state", "the topic 'arm/state' is published by client 'a' of host 'rt2'"]]));
  const refused = statusError(publisher);
  publisher.publish("topic.arm.state", "x");
  await publisher.flush();
  expect(await refused).toContain('Permissions Violation for Publish to "topic.arm.state"');
  expect(await register(publisher, { name: "driver", topics: [STATE] })).toMatchObject({
    ok: true,
    problems: [{ code: "conflict", message: expect.stringContaining("'rt2'") }],
  });
  rig.registry.loseTopics(new Map());
  publisher.publish("topic.arm.state", "x");
  await publisher.flush();
  expect(rig.topic("arm/state")?.counters.packets).toBe(1);
});

it("rates are measured over the last second, and reported with the counters of topics that changed", async () => {
  await using rig = await RegistryRig.start();
  const publisher = await rig.client("driver", [STATE, { name: "arm/quiet", encoding: "raw" }]);
  let sent = 0;
  const sending = setInterval(() => {
    publisher.publish("topic.arm.state", "12345678");
    sent++;
  }, 5);
  try {
    await expect.poll(() => rig.topic("arm/state")?.counters.rate ?? 0).toBeGreaterThan(0);
  } finally {
    clearInterval(sending);
  }
  const { counters } = rig.topic("arm/state") ?? {};
  expect(counters?.bytes_rate).toBeCloseTo((counters?.rate ?? 0) * 8, 0);
  await publisher.flush();
  const last = () => rig.changes.findLast((change) => change.kind === "counters");
  await expect.poll(() => last()).toMatchObject({ subject: "topic.arm.state", counters: { packets: sent } });
  // Once nothing comes any more.
  await expect.poll(() => last()).toMatchObject({ counters: { packets: sent, rate: 0 } });
  expect(rig.changes.filter((change) => change.kind === "counters" && change.subject !== "topic.arm.state").length).toBeLessThanOrEqual(1);
});

it("problems of a registration are reported by field", async () => {
  await using rig = await RegistryRig.start();
  const client = await rig.connect("c");
  const many = Array.from({ length: MAX_CLIENT_TOPICS + 1 }, (_, index) => ({ name: `t${index}`, encoding: "raw" }));
  for (const [registration, words] of [
    ["text", "the registration: must be a JSON object"],
    [{}, "name: must be"],
    [{ name: "" }, "name: must be"],
    [{ name: "c", pid: -1 }, "pid: must be"],
    [{ name: "c", topics: [{ name: "arm//state", encoding: "raw" }] }, "empty part"],
    [{ name: "c", topics: [{ name: "x", encoding: "xml" }] }, "topics[0].encoding: must be"],
    [
      {
        name: "c",
        topics: [
          { name: "x", encoding: "raw" },
          { name: "x", encoding: "raw" },
        ],
      },
      "twice",
    ],
    [{ name: "c", topics: many }, "topics: must be"],
  ] as const) {
    const answer = await register(client, registration);
    expect(answer).toMatchObject({ ok: false, code: "bad_field", message: expect.stringContaining(words) });
  }
  expect(rig.registry.tables()).toMatchObject({ topics: [], clients: [{ registered: false }] });
});

async function statusError(connection: { status(): AsyncIterable<{ type: string; error?: Error }> }): Promise<string> {
  for await (const status of connection.status()) if (status.type === "error") return status.error?.message ?? "";
  return "the connection ended";
}

describe.each([
  { count: 20, bytes: 900_000 },
  { count: 1_000, bytes: 20_000 },
])("keep_last with $count messages of $bytes bytes, more than a queue holds", ({ count, bytes }) => {
  it("a subscriber that reads gets all of them, to one pattern or to each topic", async () => {
    await using rig = await RegistryRig.start();
    const names = Array.from({ length: count }, (_, n) => `image/${n}`);
    const publisher = await rig.client(
      "camera",
      names.map((name) => ({ ...STATE, name, keep_last: true })),
    );
    const body = Buffer.alloc(bytes, "x");
    for (const name of names) {
      publisher.publish(`topic.${name.replace("/", ".")}`, body);
      await publisher.flush();
    }
    const wild = collect(await rig.connect("wild"), "topic.image.>");
    const exact = await rig.connect("exact");
    const each = names.map((name) => collect(exact, `topic.${name.replace("/", ".")}`));
    await expect.poll(() => wild.length).toBe(count);
    await expect.poll(() => each.map(({ length }) => length)).toEqual(names.map(() => 1));
    expect(new Set(wild.map(({ subject }) => subject)).size).toBe(count);
    expect(wild.every(({ data }) => data.length === bytes)).toBe(true);
    expect(rig.broker.stats().dropped_msgs).toBe(0);
  });
});

it("kept messages count as memory of the broker: the oldest of the client that keeps most are dropped, and counted by topic", async () => {
  await using rig = await RegistryRig.start({ memory: new MemoryBudget(() => {}, 8 * 1024 * 1024) });
  const own = await rig.connect("honest", "other");
  expect(await register(own, { name: "honest", topics: [{ ...STATE, name: "arm/state", keep_last: true }] })).toMatchObject({ ok: true });
  own.publish("topic.arm.state", Buffer.alloc(100_000, "s"));
  await own.flush();
  const names = Array.from({ length: 100 }, (_, n) => `big/${n}`);
  const greedy = await rig.client(
    "greedy",
    names.map((name) => ({ ...STATE, name, keep_last: true })),
  );
  for (const [n] of names.entries()) {
    greedy.publish(`topic.big.${n}`, Buffer.alloc(900_000));
    await greedy.flush();
  }
  expect(rig.broker.memory.used).toBeLessThan(9 * 1024 * 1024);
  const reader = await rig.connect("reader");
  const [honest, big] = [collect(reader, "topic.arm.>"), collect(reader, "topic.big.>")];
  await expect.poll(() => honest.length).toBe(1);
  await expect.poll(() => big.map(({ subject }) => subject)).toContain("topic.big.99");
  expect(big.map(({ subject }) => subject)).not.toContain("topic.big.0");
  expect(rig.topic("big/0")?.counters.kept_dropped).toBe(1);
  expect(rig.topic("arm/state")?.counters.kept_dropped).toBe(0);
});

it("reliable_within: a publish beyond the limit is refused by subject; no accepted message is lost, and other topics continue", async () => {
  await using rig = await RegistryRig.start();
  const within = 200_000;
  const [safe, usual] = [
    { ...STATE, name: "safe", reliable_within: within },
    { ...STATE, name: "usual" },
  ];
  const publisher = await rig.client("driver", [safe, usual]);
  const refused: string[] = [];
  void (async () => {
    for await (const status of publisher.status()) if (status.type === "error") refused.push(status.error.message);
  })();
  const slow = await RawClient.connect({ host: "127.0.0.1", port: rig.port });
  slow.send('CONNECT {"verbose":false,"pedantic":false,"auth_token":"arm/driver"}\r\nSUB topic.safe 1\r\nSUB topic.usual 2\r\nPING\r\n');
  await slow.until((text) => text.includes("PONG"));
  slow.socket.pause();
  let published = 0;
  while (refused.length === 0) {
    publisher.publish("topic.safe", Buffer.alloc(20_000, `${published++ % 10}`));
    await publisher.flush();
  }
  expect(refused[0]).toMatch(/Publish to "topic\.safe": a subscriber has not read the 200000 bytes/);
  publisher.publish("topic.usual", "goes on");
  await publisher.flush();
  expect(rig.topic("usual")?.counters.packets).toBe(1);
  const taken = rig.topic("safe")?.counters.packets ?? 0;
  slow.socket.resume();
  await slow.until((text) => (text.match(/MSG topic\.safe/g)?.length ?? 0) === taken && text.includes("goes on"));
  expect(rig.topic("safe")?.counters).toMatchObject({ dropped: 0 });
  slow.close();
});
