import { expect, test } from "vitest";
import { McapEncoder } from "../../../../src/features/recordings/samples/mcap/encoder.ts";
import { RangeReader } from "../../../../web/src/features/recordings/file/range-reader.ts";
import { RecordedFile } from "../../../../web/src/features/recordings/file/recorded-file.ts";

/** Not at a whole microsecond. */
const START = 1_700_000_000_000_000_300n;
const MS = 1_000_000n;
const BLOCK_BYTES = 1024 * 1024;

/** As the manager serves a file; tells the ranges that were requested. */
function served(bytes: Uint8Array) {
  const ranges: string[] = [];
  const request = (async (_address: unknown, init?: RequestInit) => {
    const range = new Headers(init?.headers).get("range") ?? "";
    ranges.push(range);
    const [, from = 0, last = 0] = (/bytes=(\d+)-(\d+)/.exec(range) ?? []).map(Number);
    if (from >= bytes.length) return new Response("The file is shorter.", { status: 416 });
    const part = bytes.slice(from, last + 1);
    return new Response(part, { status: 206, headers: { "content-range": `bytes ${from}-${from + part.length - 1}/${bytes.length}` } });
  }) as typeof fetch;
  return { reader: new RangeReader("/file", request), ranges };
}

const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** The message `float64 x`. */
function cdr(x: number): Uint8Array {
  const bytes = new Uint8Array(12);
  bytes[1] = 1;
  new DataView(bytes.buffer).setFloat64(4, x, true);
  return bytes;
}

/** Each millisecond a JSON message and a CDR message, and now and then bytes of which nothing is known. */
function file(messages: number): Uint8Array {
  const encoder = new McapEncoder();
  const pieces = [encoder.begin("test")];
  const add = (topic: string, encoding: string, schema: { name: string; encoding: string; text: string } | null) =>
    encoder.addChannel({ topic, encoding, schema, metadata: {} });
  const state = add("arm/state", "json", { name: "State", encoding: "jsonschema", text: "{}" });
  const point = add("arm/point", "cdr", { name: "demo/msg/Point", encoding: "ros2msg", text: "float64 x" });
  const raw = add("camera", "raw", null);
  const put = (channel: number, at: number, data: Uint8Array) =>
    encoder.addMessage({ channel, sequence: 0n, logTime: START + BigInt(at) * MS, publishTime: START, data });
  for (let at = 0; at < messages; at++) {
    put(state, at, json({ position: [at, -at], name: "größe", isOn: at % 2 === 0 }));
    put(point, at, cdr(at / 2));
    if (at % 10 === 0) put(raw, at, new Uint8Array(8));
    if (encoder.isChunkFull) pieces.push(...encoder.cut());
  }
  pieces.push(...encoder.cut(), ...encoder.end());
  return Buffer.concat(pieces);
}

const filling = { signal: new AbortController().signal, onProgress: () => {} };

test("topics and fields with numbers are found; bytes without a definition are reported", async () => {
  const opened = await RecordedFile.open(served(file(100)).reader);
  expect(opened.topics).toEqual([
    { name: "arm/point", messages: 100, isReadable: true },
    { name: "arm/state", messages: 100, isReadable: true },
    { name: "camera", messages: 10, isReadable: false },
  ]);
  expect(opened.span).toEqual({ from: Number(START) / 1e9, until: Number(START + 99n * MS) / 1e9 });
  expect(await opened.fields("arm/state")).toEqual(["position[0]", "position[1]", "isOn"]);
  expect(await opened.fields("arm/point")).toEqual(["x"]);
  expect(await opened.fields("camera")).toEqual([]);
});

test("samples of traces have the values and times of the messages, and a part of the file only its own", async () => {
  const opened = await RecordedFile.open(served(file(200)).reader);
  const traces = [
    { topic: "arm/state", field: "position[1]" },
    { topic: "arm/point", field: "x" },
  ];
  const whole = opened.traces(traces, opened.span);
  const progress: number[] = [];
  await whole.fill({ signal: filling.signal, onProgress: (part) => progress.push(part) });
  const { from, until } = opened.span;
  const [times, values] = whole.samples.get("arm/state")?.between(from, until) ?? [];
  expect(values).toEqual(Array.from({ length: 200 }, (_, at) => 0 - at));
  expect(times?.map((time) => Math.round((time - from) * 1_000))).toEqual(Array.from({ length: 200 }, (_, at) => at));
  expect(whole.samples.get("arm/point")?.between(from, until)[1]?.at(-1)).toBe(99.5);
  expect(progress.at(-1)).toBe(1);
  const part = opened.traces(traces, { from: from + 0.05, until: from + 0.1 });
  await part.fill(filling);
  expect(part.samples.get("arm/state")?.between(from, until)[1]).toEqual(Array.from({ length: 51 }, (_, at) => 0 - at - 50));
});

test("a cancelled read does not reach the end of the file", async () => {
  const opened = await RecordedFile.open(served(file(2_000)).reader);
  const { samples, fill } = opened.traces([{ topic: "arm/state", field: "position[0]" }], opened.span);
  const abort = new AbortController();
  abort.abort();
  const progress: number[] = [];
  await fill({ signal: abort.signal, onProgress: (part) => progress.push(part) });
  expect(progress).not.toContain(1);
  expect(samples.size).toBe(1);
});

test("a large file is requested in blocks, each once, and only the needed ones", async () => {
  const bytes = file(40_000);
  expect(bytes.length).toBeGreaterThan(4 * BLOCK_BYTES);
  const { reader, ranges } = served(bytes);
  const opened = await RecordedFile.open(reader);
  await opened.fields("arm/state");
  // The beginning, and the end with the index.
  expect(ranges.length).toBeLessThanOrEqual(3);
  const { fill } = opened.traces([{ topic: "arm/state", field: "position[0]" }], opened.span);
  await fill(filling);
  expect(new Set(ranges).size).toBe(ranges.length);
  expect(ranges.length).toBe(Math.ceil(bytes.length / BLOCK_BYTES));
});

test("refusals are shown in the manager's words", async () => {
  const refused = new RangeReader("/file", (async () => new Response("There is no such file.", { status: 404 })) as typeof fetch);
  await expect(refused.size()).rejects.toThrow("There is no such file.");
  // One that is still being written has no index.
  await expect(RecordedFile.open(served(file(10).slice(0, 500)).reader)).rejects.toThrow();
});

test("ranges across blocks are joined, and end where the file ends", async () => {
  const bytes = new Uint8Array(2 * BLOCK_BYTES + 100).map((_, at) => at % 251);
  const { reader } = served(bytes);
  expect(await reader.size()).toBe(BigInt(bytes.length));
  const at = BLOCK_BYTES - 10;
  expect(await reader.read(BigInt(at), 20n)).toEqual(bytes.slice(at, at + 20));
  expect(await reader.read(BigInt(bytes.length - 5), 20n)).toEqual(bytes.slice(-5));
});

test("of a file that is still being written, all complete messages are read", async () => {
  const whole = file(20_000);
  const part = whole.slice(0, Math.floor(whole.length / 2));
  const opened = RecordedFile.openGrowing(part);
  expect(opened.topics.map(({ name }) => name)).toEqual(["arm/point", "arm/state", "camera"]);
  expect(await opened.fields("arm/point")).toEqual(["x"]);
  const { samples, fill } = opened.traces([{ topic: "arm/point", field: "x" }], opened.span);
  await fill(filling);
  const [times = [], values = []] = samples.get("arm/point")?.between(opened.span.from - 1, opened.span.until + 1) ?? [];
  expect(times.length).toBe(opened.topics.find(({ name }) => name === "arm/point")?.messages);
  expect(times.length).toBeGreaterThan(5_000);
  expect(values.slice(0, 3)).toEqual([0, 0.5, 1]);
});
