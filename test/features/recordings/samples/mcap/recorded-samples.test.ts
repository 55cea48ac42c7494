import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { channelOf } from "../../../../../src/features/recordings/samples/mcap/channels.ts";
import { clockValues } from "../../../../../src/features/recordings/samples/mcap/clock-records.ts";
import { type McapChannel, McapEncoder } from "../../../../../src/features/recordings/samples/mcap/encoder.ts";
import { openMessageFile } from "../../../../../src/features/recordings/samples/mcap/message-file.ts";
import { openRecorded } from "../../../../../src/features/recordings/samples/mcap/recorded-samples.ts";
import type { TopicSamples } from "../../../../../src/features/recordings/samples/samples.ts";
import { ARM_STATE_DESCRIPTORS } from "../../../data-plane/arm-state-protobuf.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-recorded-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const T = 1_700_000_000_000_000_000n;
const json = (topic: string, host: string, text = '{"type":"object"}'): McapChannel => ({
  topic,
  encoding: "json",
  schema: { name: "Größe", encoding: "jsonschema", text },
  metadata: { host },
});

/** A file with messages of channels: `[channel, time, sequence, publish time or null]`. */
function write(
  name: string,
  channels: readonly McapChannel[],
  messages: readonly [number, bigint, bigint, bigint | null][],
  losses = {},
  about: readonly [string, Record<string, string>][] = [],
) {
  const encoder = new McapEncoder();
  const pieces: Uint8Array[] = [encoder.begin("test"), ...about.map(([of, values]) => encoder.addMetadata(of, values))];
  const ids = channels.map((channel) => encoder.addChannel(channel));
  for (const [at, time, sequence, published] of messages)
    encoder.addMessage({
      channel: ids[at] ?? 0,
      sequence,
      logTime: T + time,
      publishTime: T + (published ?? time),
      data: new TextEncoder().encode(JSON.stringify({ n: Number(time) })),
    });
  pieces.push(...encoder.cut(), encoder.addMetadata("mgr.losses", losses), ...encoder.end());
  const path = join(folder, name);
  writeFileSync(path, Buffer.concat(pieces));
  return path;
}

const read = async ({ samples }: TopicSamples) => {
  const found: [number, bigint | null, bigint | null][] = [];
  for await (const { received, published, sequence } of samples()) found.push([Number(received - T), published && published - T, sequence]);
  return found;
};

test("files of a recording are read in the order of time, whatever the order in which they are given", async () => {
  const losses = { "arm/state": '{"missed":2,"dropped":3}' };
  const second = write(
    "2.mcap",
    [json("arm/state", "a"), json("other", "a")],
    [
      [0, 30n, 3n, 29n],
      [1, 31n, 0n, null],
    ],
    losses,
  );
  const first = write(
    "1.mcap",
    [json("arm/state", "a")],
    [
      [0, 10n, 1n, null],
      [0, 20n, 2n, 19n],
    ],
  );
  const recorded = await openRecorded("run", [second, first], (topic) => topic !== "other");
  const [topic, ...others] = recorded.topics;
  if (topic === undefined) throw new Error("no topic");
  expect(others).toEqual([]);
  expect(topic).toMatchObject({ topic: "arm/state", host: "a", count: 3, missed: 5, encoding: "json", definitionName: "Größe" });
  const expected = [
    [10, null, 1n],
    [20, 19n, 2n],
    [30, 29n, 3n],
  ];
  expect(await read(topic)).toEqual(expected);
  // Formats read several times.
  expect(await read(topic)).toEqual(expected);
  await recorded.close();
});

test("a topic of two hosts, or with two definitions, is not mixed", async () => {
  const channels = [json("t", "a"), json("t", "a", '{"type":"object","title":"2"}'), json("t (2)", "a")];
  const one = write("a.mcap", channels, [
    [0, 1n, 0n, null],
    [1, 2n, 0n, null],
    [2, 3n, 0n, null],
  ]);
  const two = write("b.mcap", [json("t", "b")], [[0, 4n, 0n, null]]);
  const recorded = await openRecorded("run", [one, two], () => true);
  const found = await Promise.all(recorded.topics.map(async (topic) => [topic.topic, topic.host, await read(topic)]));
  expect(found).toEqual([
    ["t", "a", [[1, null, null]]],
    ["t (3)", "a", [[2, null, null]]],
    ["t (2)", "a", [[3, null, null]]],
    ["t (4)", "b", [[4, null, null]]],
  ]);
  await recorded.close();
});

test("clocks are put right if there are files of several hosts; the times of one host alone are as it has them", async () => {
  const ofHost = (host: string, offset: bigint) => {
    const about: [string, Record<string, string>][] = [
      ["mgr.recording", { host }],
      ["mgr.clock", clockValues({ offset, uncertainty: 1n, at: T }, 0n)],
    ];
    return write(`clock-${host}.mcap`, [json(`of/${host}`, host)], [[0, 500n, 1n, 400n]], {}, about);
  };
  const timesOf = async (...paths: string[]) => {
    const recorded = await openRecorded("run", paths, () => true);
    const found = await Promise.all(recorded.topics.map(async (topic) => [topic.topic, await read(topic)]));
    await recorded.close();
    return Object.fromEntries(found);
  };
  const [a, b] = [ofHost("a", 0n), ofHost("b", 300n)];
  expect(await timesOf(b)).toEqual({ "of/b": [[500, 400n, 1n]] });
  expect(await timesOf(a, b)).toEqual({ "of/a": [[500, 400n, 1n]], "of/b": [[200, 100n, 1n]] });
});

test("a file without an index is refused", async () => {
  const path = join(folder, "broken.mcap");
  writeFileSync(path, "no");
  await expect(openRecorded("run", [path], () => true)).rejects.toThrow();
});

test("a file has the descriptors of Protocol Buffers as bytes, and a topic has them as base64 when it is read", async () => {
  const definition = Buffer.from(ARM_STATE_DESCRIPTORS).toString("base64");
  const described = { topic: "arm/state", definition, definitionName: "demo.ArmState", encoding: "protobuf" };
  const path = write("proto.mcap", [channelOf(described, { host: "a" })], [[0, 10n, 1n, null]]);
  expect(readFileSync(path).includes(Buffer.from(ARM_STATE_DESCRIPTORS))).toBe(true);
  const recorded = await openRecorded("run", [path], () => true);
  expect(recorded.topics).toMatchObject([described]);
  await recorded.close();
  const file = await openMessageFile(path);
  expect(file.channels).toEqual([{ ...described, schemaEncoding: "protobuf" }]);
  await file.close();
});
