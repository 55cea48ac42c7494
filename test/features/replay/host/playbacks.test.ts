import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { MgrError } from "../../../../src/base/errors.ts";
import { systemClock } from "../../../../src/base/timing/clock.ts";
import { subjectOfTopic } from "../../../../src/base/topics/topic-subject.ts";
import { connectBus } from "../../../../src/bus/client/connect-bus.ts";
import { noBusFiles } from "../../../../src/daemon/bus/bus-files.ts";
import { HostBus } from "../../../../src/daemon/bus/host-bus.ts";
import type { DataClient } from "../../../../src/features/data-plane/client/index.ts";
import { clientOnBus } from "../../../../src/features/data-plane/client-on-bus.ts";
import {
  type ControlAction,
  type HostPlayback,
  MAX_PLAYS,
  type PlaybackEvent,
  type PlayOptions,
} from "../../../../src/features/replay/contract.ts";
import { Playbacks } from "../../../../src/features/replay/host/playbacks.ts";
import { folder, mcapFile, numbered } from "../mcap-files.ts";

const TOPIC = "arm/state";
const dir = folder();
const files = new Map<string, string>();
let bus: HostBus;
let listener: DataClient;
let playbacks: Playbacks;
let heard: number[] = [];
let clocks: { time: string; rate: number }[] = [];
const events: PlaybackEvent[] = [];
let ids = 0;

const client = async (name: string) =>
  clientOnBus(await connectBus({ server: { kind: "url", urls: [bus.localUrl] }, name, log: () => {} }), name, () => {});

beforeAll(async () => {
  files.set("run1", await mcapFile(join(dir, "run1.mcap"), numbered(TOPIC, 10, 100)));
  files.set("fast", await mcapFile(join(dir, "fast.mcap"), numbered(TOPIC, 10, 1)));
  const whole = readFileSync(await mcapFile(join(dir, "whole.mcap"), numbered(TOPIC, 400, 1)));
  files.set("torn", join(dir, "torn.mcap"));
  writeFileSync(join(dir, "torn.mcap"), whole.subarray(0, whole.length / 2));
  files.set("other", join(dir, "other.mcap"));
  writeFileSync(join(dir, "other.mcap"), "not an MCAP file at all");
  bus = await HostBus.open({ host: "rt1", files: noBusFiles(), log: () => {} });
  listener = await client("listener");
  listener.subscribe(TOPIC, { onMessage: ({ value }) => heard.push((value as { n: number }).n) });
  listener.subscribe("mgr/clock", { onMessage: ({ value }) => clocks.push(value as { time: string; rate: number }) });
  await listener.flush();
  playbacks = new Playbacks({
    clock: systemClock,
    url: bus.localUrl,
    pathsOf: (name) => {
      const path = files.get(name);
      if (path === undefined) throw new MgrError("not_found", `there is no recording '${name}'`);
      return [path];
    },
    send: (event) => events.push(event),
  });
});
afterEach(async () => {
  await playbacks.close();
  expect(playbacks.list()).toEqual([]);
  heard = [];
  clocks = [];
  events.length = 0;
});
afterAll(async () => {
  await listener?.close();
  await bus?.close();
  rmSync(dir, { recursive: true });
});

async function until(what: string, isTrue: () => boolean): Promise<void> {
  for (let tries = 0; !isTrue(); tries++) {
    if (tries > 3_000) throw new Error(`${what}: not within a minute; ${JSON.stringify({ heard, last: events.at(-1) })}`);
    await delay(20);
  }
}

async function open(recording: string, options: Partial<PlayOptions> = {}) {
  const playback = `play-${++ids}`;
  const wanted: PlayOptions = {
    recording,
    files: null,
    user: "anna",
    topics: [],
    remap: [],
    rate: 1,
    from: null,
    until: null,
    is_looping: false,
    is_paused: false,
    has_clock: true,
    ...options,
  };
  return { playback, topics: await playbacks.open({ session: "s", playback, options: wanted }) };
}

function publisherOf(topic: string): string | null {
  const { clients, topics } = bus.registry.tables();
  const found = topics.find(({ name }) => name === topic);
  return clients.find(({ connection }) => connection === found?.connection)?.name ?? null;
}

/** A play that has begun. */
async function play(recording: string, options: Partial<PlayOptions> = {}) {
  const { playback } = await open(recording, options);
  await playbacks.begin({ session: "s", playback, left_out: [] });
  return {
    playback,
    control: (control: ControlAction) => playbacks.control({ session: "s", playback, control }),
    get last(): HostPlayback | undefined {
      return events.findLast((event) => event.name === playback && event.playback !== null)?.playback ?? undefined;
    },
  };
}

test("a recording is published by a client of its name, and forgotten at its end", async () => {
  const { playback, last } = await play("fast", { topics: ["arm/*"] });
  expect(last).toMatchObject({ user: "anna", topics: [TOPIC], topic_count: 1, start_ms: 1_795_694_400_000, length_ms: 9, rate: 1 });
  await until("the end", () => events.at(-1)?.playback === null);
  expect(heard).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(events.at(-2)?.playback).toMatchObject({ name: playback, has_ended: true, problem: null, published: 10, position_ms: 9 });
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => (events[0]?.seq ?? 0) + index));
});

test("a play that begins paused steps, seeks and changes its rate, and loops until it is stopped", async () => {
  const play1 = await play("run1", { is_paused: true });
  expect(publisherOf(TOPIC)).toBe("mgr play run1");
  play1.control({ action: "step" });
  play1.control({ action: "step" });
  await until("two steps", () => heard.length === 2);
  await until("the state of the steps", () => play1.last?.published === 2);
  expect(play1.last).toMatchObject({ is_paused: true, position_ms: 100 });
  play1.control({ action: "seek", position_ms: 850 });
  play1.control({ action: "rate", rate: 10 });
  play1.control({ action: "loop", is_looping: true });
  await until("the commands", () => play1.last?.is_looping === true);
  expect(play1.last).toMatchObject({ position_ms: 850, rate: 10 });
  play1.control({ action: "resume" });
  await until("a second pass", () => heard.length >= 6);
  expect(heard.slice(0, 6)).toEqual([0, 1, 9, 0, 1, 2]);
  expect(clocks.some(({ rate }) => rate === 0) && clocks.some(({ rate }) => rate === 10)).toBe(true);
  play1.control({ action: "pause" });
  await until("the pause", () => play1.last?.is_paused === true);
  play1.control({ action: "stop" });
  await until("the end", () => events.at(-1)?.playback === null);
  expect(play1.last).toMatchObject({ has_ended: true, problem: null });
  expect(() => play1.control({ action: "pause" })).toThrow("the play has ended");
});

test("a part of a recording is played under another name", async () => {
  const { topics, playback } = await open("run1", { remap: ["arm/*=old/*"], from: 0.35, until: 0.75, rate: 100 });
  expect(topics).toEqual(["old/state"]);
  const numbers: number[] = [];
  const subscription = listener.subscribe("old/state", { onMessage: ({ value }) => numbers.push((value as { n: number }).n) });
  await listener.flush();
  await playbacks.begin({ session: "s", playback, left_out: [] });
  await until("the end", () => events.at(-1)?.playback === null);
  expect(numbers).toEqual([4, 5, 6, 7]);
  subscription.close();
});

test("a torn file is played as far as it goes, and the play says so; what is no MCAP file is refused", async () => {
  const torn = await play("torn", { rate: 100 });
  await until("the end", () => events.at(-1)?.playback === null);
  expect(torn.last).toMatchObject({
    problem: null,
    has_ended: true,
    notes: [expect.stringContaining("torn.mcap has no index and no end")],
  });
  expect(heard.length).toBeGreaterThan(0);
  expect(heard).toEqual(heard.map((_, index) => index));
  await expect(open("other")).rejects.toMatchObject({ code: "bad_field", message: expect.stringContaining("is not an MCAP file") });
  await expect(open("none")).rejects.toMatchObject({ code: "not_found" });
  await expect(open("run1", { topics: ["none"] })).rejects.toMatchObject({ code: "not_found" });
  await expect(open("run1", { from: 5 })).rejects.toMatchObject({
    code: "bad_field",
    message: expect.stringContaining("there is nothing"),
  });
});

test("a live publisher refuses the play, and one that gets the topic in its middle ends it", async () => {
  const live = await client("live arm");
  const publisher = await live.publisher(TOPIC);
  const refused = await open("run1");
  await expect(playbacks.begin({ session: "s", playback: refused.playback, left_out: [] })).rejects.toMatchObject({ code: "conflict" });
  const left = await open("run1");
  const left_out = [{ name: TOPIC, publisher: "live arm" }];
  await expect(playbacks.begin({ session: "s", playback: left.playback, left_out })).rejects.toMatchObject({ code: "not_found" });
  expect(events).toEqual([]);
  publisher.close();
  await live.close();
  await until("the topic is free", () => publisherOf(TOPIC) === null);
  const middle = await play("run1", { is_looping: true, rate: 10 });
  await until("it plays", () => heard.length > 0);
  // The manager has found that a client of another host was first.
  bus.registry.loseTopics(new Map([[subjectOfTopic(TOPIC), "'arm' on rt2 publishes it"]]));
  await until("the end", () => events.at(-1)?.playback === null);
  expect(middle.last).toMatchObject({ has_ended: true, problem: expect.stringContaining("the broker refuses 'arm/state'") });
  bus.registry.loseTopics(new Map());
});

test("at most four plays share a host, and one that is opened but not begun holds a place until it is stopped", async () => {
  const opened = [];
  for (let n = 0; n < MAX_PLAYS; n++) opened.push(await open("run1"));
  await expect(open("run1")).rejects.toMatchObject({ code: "busy" });
  expect(playbacks.list()).toEqual([]);
  playbacks.control({ session: "s", playback: opened[0]?.playback ?? "", control: { action: "stop" } });
  await open("run1");
});
