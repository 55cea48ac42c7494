import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NatsConnection } from "@nats-io/nats-core";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openFeatures } from "../../../../src/app/feature.ts";
import { StateFiles } from "../../../../src/app/state/state-files.ts";
import { loggers as loggersFeature } from "../../../../src/features/loggers/manager/index.ts";
import { LoggerDownloads } from "../../../../src/features/loggers/manager/logger-downloads.ts";
import type { DownloadFormat, DownloadRequest } from "../../../../src/features/loggers/manager/loggers.ts";
import { MANAGER_FEATURES } from "../../../../src/features/manager.ts";
import { decodeRecords } from "../../../../src/features/recordings/samples/sample-record.ts";
import { untar } from "../../../support/untar.ts";
import { DataPlaneRig } from "../../data-plane/manager/data-plane-rig.ts";
import { readMcap } from "../../recordings/samples/mcap/independent-reader.ts";

// A manager with two hosts that have brokers. `arm/state` is published on host two, whose link can be cut, `base/state` on host one.

let folder = "";
let rig: DataPlaneRig;
const programs: Record<string, NatsConnection> = {};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-downloads-"));
});
afterEach(() => rig?.[Symbol.asyncDispose]());
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function begin(): Promise<void> {
  rig = await DataPlaneRig.start({
    features: await openFeatures(MANAGER_FEATURES, { files: new StateFiles(folder), sockets: null, warn: () => {} }),
  });
  programs["arm/state"] = await rig.client(rig.two, "arm", ["arm/state"]);
  programs["base/state"] = await rig.client(rig.one, "base", ["base/state"]);
}

async function publish(topic: "arm/state" | "base/state", first: number, last: number, size = 0): Promise<void> {
  const program = programs[topic];
  for (let number = first; number <= last; number++) program?.publish(`topic.${topic.replace("/", ".")}`, `${number}${"·".repeat(size)}`);
  await program?.flush();
}

const loggers = () => rig.engine.feature(loggersFeature);
async function record(
  name: string,
  topics: readonly { name: string; log_size?: number; divisor?: number }[],
  only_ts = false,
): Promise<void> {
  const all = topics.map((topic) => ({ log_size: 100_000, divisor: 1, ...topic }));
  await loggers().configure(name, { only_ts, topics: all }, "ada");
  await loggers().start(name, "ada");
}

function request(name: string, more: Partial<DownloadRequest> = {}): DownloadRequest {
  return { name, format: "raw", stop: false, forSpreadsheets: false, signal: new AbortController().signal, ...more };
}

async function download(name: string, format: DownloadFormat, stop = false): Promise<Buffer> {
  const file = await loggers().download(request(name, { format, stop }), "ada");
  try {
    const parts: Uint8Array[] = [];
    for (let at = 0; at < file.size; at += parts.at(-1)?.length ?? 0) parts.push(await file.read(at, 50_000));
    expect(Buffer.concat(parts)).toHaveLength(file.size);
    return Buffer.concat(parts);
  } finally {
    await file.close();
  }
}

/** Texts of the samples of each topic in a download as `raw`. */
async function texts(tar: Buffer, onlyTimes = false): Promise<Record<string, string[]>> {
  const files = untar(tar);
  const index = JSON.parse(String(files.get("index.json"))) as { topics: { topic: string; file: string; count: number; host: string }[] };
  const found: Record<string, string[]> = {};
  for (const { topic, file, count } of index.topics) {
    const bytes = files.get(file);
    async function* pieces() {
      if (bytes !== undefined) yield bytes;
    }
    const samples: string[] = [];
    for await (const { payload } of decodeRecords(pieces(), onlyTimes)) samples.push(payload === null ? "" : String(Buffer.from(payload)));
    expect(samples).toHaveLength(count);
    found[topic] = samples;
  }
  return found;
}

const numbers = (first: number, last: number, step = 1) =>
  Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => String(first + index * step));

it("a download has the samples of all hosts, every divisor-th, in order, and leaves nothing behind", async () => {
  await begin();
  await record("both", [{ name: "arm/state", divisor: 7 }, { name: "none" }, { name: "base/state", log_size: 10 }]);
  await publish("arm/state", 0, 999);
  await publish("base/state", 0, 99);
  expect(await texts(await download("both", "raw"))).toEqual({ "arm/state": numbers(0, 999, 7), "base/state": numbers(90, 99) });
  const { messages, metadata } = readMcap(await download("both", "mcap"));
  const bodies = (topic: string) => messages.filter((message) => message.topic === topic).map(({ data }) => String(data));
  expect([bodies("arm/state"), bodies("base/state")]).toEqual([numbers(0, 999, 7), numbers(90, 99)]);
  const times = messages.map(({ logTime }) => logTime);
  expect(times).toEqual(times.toSorted((a, b) => Number(a - b)));
  expect(metadata).toContainEqual({ name: "mgr.logger", values: { name: "both" } });
  expect(readdirSync(join(folder, "downloads"))).toEqual([]);
});

it("stop=1 stops the logger first: no sample is newer", async () => {
  await begin();
  await record("stopped", [{ name: "arm/state" }]);
  await publish("arm/state", 0, 99);
  const { session } = { session: rig.two.link };
  const request = session.request.bind(session);
  // Samples that come between the stop and the end of the collection.
  vi.spyOn(session, "request").mockImplementation(async (name, body) => {
    const answer = await request(name, body);
    if (name === "logger_ring") await publish("arm/state", 100, 149);
    return answer;
  });
  expect(await texts(await download("stopped", "raw", true))).toEqual({ "arm/state": numbers(0, 99) });
  expect(loggers().list()).toMatchObject([{ name: "stopped", enabled: false }]);
});

it("a full ring that records during its download gives as many samples as it holds", async () => {
  await begin();
  await record("full", [{ name: "arm/state", log_size: 300 }]);
  await publish("arm/state", 0, 399);
  const { link } = rig.two;
  const request = link.request.bind(link);
  vi.spyOn(link, "request").mockImplementation(async (name, body) => {
    const answer = await request(name, body);
    // After the manager has learned what the ring holds.
    if (name === "logger_ring") await publish("arm/state", 400, 402);
    return answer;
  });
  expect(await texts(await download("full", "raw"))).toEqual({ "arm/state": numbers(103, 402) });
});

it("a logger of times has no payloads; a logger continues while it is downloaded", async () => {
  await begin();
  await record("times", [{ name: "arm/state" }], true);
  await publish("arm/state", 0, 9);
  expect(await texts(await download("times", "raw"), true)).toEqual({ "arm/state": new Array(10).fill("") });
  await publish("arm/state", 10, 19);
  expect((await texts(await download("times", "raw"), true))["arm/state"]).toHaveLength(20);
});

it("samples larger than an answer of the host, and more than one answer of them, arrive whole", async () => {
  await begin();
  await record("large", [{ name: "arm/state" }]);
  await publish("arm/state", 0, 4, 200_000);
  const found = (await texts(await download("large", "raw")))["arm/state"] ?? [];
  expect(found.map((text) => [text.length, text.replaceAll("·", "")])).toEqual(numbers(0, 4).map((number) => [200_001, number]));
});

it("unknown, empty and lost loggers are reported in words, and nothing is left behind", async () => {
  await begin();
  await expect(download("none", "pickle")).rejects.toMatchObject({ code: "not_found", message: "there is no logger 'none'" });
  await record("empty", [{ name: "nothing" }]);
  expect(await texts(await download("empty", "raw"))).toEqual({ nothing: [] });
  await record("lost", [{ name: "arm/state" }, { name: "base/state" }]);
  await publish("arm/state", 0, 9);
  await publish("base/state", 0, 9);
  const isReported = () =>
    loggers()
      .list()
      .find(({ name }) => name === "lost")
      ?.topics.every(({ n_samples }) => n_samples === 10);
  await expect.poll(isReported, { timeout: 60_000 }).toBe(true);
  rig.two.cut(true);
  await expect
    .poll(() => rig.engine.control.state.hosts().find(({ name }) => name === "two")?.state, { timeout: 60_000 })
    .not.toBe("ready");
  await expect(download("lost", "raw")).rejects.toMatchObject({ code: "host_unavailable", message: expect.stringContaining("'two'") });
  rig.two.cut(false);
  await expect.poll(() => rig.engine.control.state.hosts().find(({ name }) => name === "two")?.state, { timeout: 60_000 }).toBe("ready");
  expect(await texts(await download("lost", "raw"))).toEqual({ "arm/state": numbers(0, 9), "base/state": numbers(0, 9) });
  expect(readdirSync(join(folder, "downloads"))).toEqual([]);
});

it("a host that is lost during a download ends it with a reason, and no incomplete file is offered", async () => {
  await begin();
  await record("cut", [{ name: "arm/state" }]);
  await publish("arm/state", 0, 9, 100_000);
  const { link } = rig.two;
  const send = link.request.bind(link);
  let reads = 0;
  vi.spyOn(link, "request").mockImplementation(async (name, body) => {
    if (name === "logger_read" && ++reads === 2) {
      rig.two.cut(true);
      // The request is neither answered nor refused, as on a cable that was pulled out.
      return new Promise(() => {});
    }
    return send(name, body);
  });
  await expect(download("cut", "raw")).rejects.toMatchObject({ code: "host_unavailable", message: expect.stringContaining("'two'") });
  expect(reads).toBe(2);
  expect(readdirSync(join(folder, "downloads"))).toEqual([]);
  rig.two.cut(false);
  await expect.poll(() => rig.engine.control.state.hosts().find(({ name }) => name === "two")?.state, { timeout: 60_000 }).toBe("ready");
  expect((await texts(await download("cut", "raw")))["arm/state"]).toHaveLength(10);
});

it("a logger is not changed or deleted while it is downloaded; two downloads run at a time; a client that disconnects ends its download", async () => {
  await begin();
  await record("busy", [{ name: "arm/state" }]);
  await publish("arm/state", 0, 9);
  await loggers().stop("busy", "ada");
  const open = [await loggers().download(request("busy"), "ada"), await loggers().download(request("busy"), "ada")];
  await expect(download("busy", "raw")).rejects.toMatchObject({ code: "busy" });
  await expect(loggers().configure("busy", { only_ts: true, topics: [] }, "ada")).rejects.toMatchObject({ code: "conflict" });
  await expect(loggers().remove("busy", "ada")).rejects.toMatchObject({ code: "conflict" });
  for (const file of open) await file.close();
  const gone = new AbortController();
  const { link } = rig.two;
  const send = link.request.bind(link);
  vi.spyOn(link, "request").mockImplementation((name, body) => {
    if (name === "logger_read") gone.abort(new Error("the client has gone"));
    return send(name, body);
  });
  await expect(loggers().download(request("busy", { signal: gone.signal }), "ada")).rejects.toThrow("the client has gone");
  expect(readdirSync(join(folder, "downloads"))).toEqual([]);
  await loggers().remove("busy", "ada");
});

it("a full disk ends a download with an error", async () => {
  const downloads = new LoggerDownloads(folder);
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  const collect = downloads.collect({
    name: "arm",
    format: "raw",
    forSpreadsheets: false,
    topics: () => [],
    signal: new AbortController().signal,
    rings: () => Promise.reject(full),
  });
  await expect(collect).rejects.toMatchObject({ code: "internal", message: expect.stringContaining("is full: make room there") });
});
