import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ADMIN_GRANTS } from "../../../src/base/access/access.ts";
import { Connection } from "../../../src/transport/connection.ts";
import type { EventBatch } from "../../../src/transport/event-batch.ts";
import type { OutboxSocket } from "../../../src/transport/outbox.ts";
import type { RequestedView } from "../../../src/transport/view.ts";
import { connectionServices } from "../../support/fakes/connection-services.ts";
import { FakeControl } from "../../support/fakes/fake-control.ts";

const CONNECTIONS = 1_000;
/** Each of so many connections takes nothing before the end. */
const SLOW_EVERY = 25;
/** Each of so many has one group in view. */
const FOCUSED_EVERY = 10;
const PROCESSES = 1_000;
const CHANGES = 400;
const GROUPS = 10;
const FULL: RequestedView = { kind: "full" };
const nameOf = (index: number) => `group-${index % GROUPS}/process-${index}`;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

interface Frame {
  readonly type: string;
  readonly process?: { readonly name: string; readonly command: string };
  readonly output?: string;
  readonly skipped?: number;
  readonly offset?: number;
  readonly entries?: readonly { readonly msg: string }[];
}

/** Frames are shared by connections, so that each is read once. */
const read = new WeakMap<Buffer, Frame>();
function frameOf(bytes: Buffer): Frame {
  const known = read.get(bytes) ?? (JSON.parse(bytes.toString()) as Frame);
  read.set(bytes, known);
  return known;
}

/** A page; the network of a slow one takes nothing until `takeAll`. */
class Page implements OutboxSocket {
  readonly sent: Buffer[] = [];
  readonly isSlow: boolean;
  writes = 0;
  isClosed = false;
  #waiting: (() => void)[] = [];

  constructor(isSlow: boolean) {
    this.isSlow = isSlow;
  }

  send(data: Buffer, _options: unknown, done: () => void): void {
    this.sent.push(data);
    this.#waiting.push(done);
  }

  sendBatch({ frames }: EventBatch, done: () => void): void {
    this.writes++;
    this.sent.push(...frames.map(({ bytes }) => bytes));
    this.#waiting.push(done);
    if (!this.isSlow) queueMicrotask(() => this.#take());
  }

  get bufferedAmount(): number {
    return this.#waiting.length;
  }

  cork(): void {}

  uncork(): void {
    this.writes++;
    if (!this.isSlow) queueMicrotask(() => this.#take());
  }

  async takeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      this.#take();
      await nextTurn();
    }
  }

  #take(): void {
    for (const done of this.#waiting.splice(0)) done();
  }

  get frames(): Frame[] {
    return this.sent.map(frameOf);
  }

  /** Bytes of output that arrived, and those that were said to be missing. */
  get output(): { readonly received: number; readonly skipped: number } {
    let [received, skipped] = [0, 0];
    for (const frame of this.frames) {
      if (frame.type !== "process_output") continue;
      received += Buffer.byteLength(frame.output ?? "");
      skipped += frame.skipped ?? 0;
      // Every byte before the end of the frame is accounted for.
      expect(frame.offset).toBe(received + skipped);
    }
    return { received, skipped };
  }
}

test(`${CONNECTIONS} connections receive each change once, in order and encoded once; slow ones miss replaced states and declared output only`, async () => {
  const control = new FakeControl(Array.from({ length: PROCESSES }, (_, index) => nameOf(index)));
  const services = connectionServices(control);
  for (const { name } of control.processes()) services.hub.processAppeared(name);
  const flood = nameOf(0);
  services.hub.receive("testhost", { name: flood, stream_id: "s", offset: 0, gap: 0, data: new Uint8Array() });
  const open = (index: number) => {
    const page = new Page(index % SLOW_EVERY === 1);
    const isFocused = index % FOCUSED_EVERY === 0;
    const ignored = () => {};
    const connection = new Connection(services, {
      socket: page,
      observer: { congested: ignored, progress: ignored, drained: ignored, overflow: () => expect.unreachable("too slow") },
      principal: { user: "ada", via: "basic", address: `127.0.0.1:${index}`, grants: ADMIN_GRANTS },
      client: null,
      view: isFocused ? { kind: "single_group", name: "group-1" } : FULL,
    });
    if (!isFocused) void connection.subscribeOutput([flood]);
    return { page, connection, isFocused };
  };
  const opened = Array.from({ length: CONNECTIONS }, (_, index) => open(index));

  // A change in each turn: an upsert of 6 KB, an entry of the log, and 8 KiB of output.
  const line = `${"x".repeat(127)}\n`.repeat(64);
  const padding = "p".repeat(5_000);
  for (let change = 0; change < CHANGES; change++) {
    control.update(nameOf(change % 40), { command: `${change} ${padding}` });
    control.log.info(`change ${change}`);
    services.hub.receive("testhost", { name: flood, stream_id: "s", offset: change * line.length, gap: 0, data: Buffer.from(line) });
    await nextTurn();
  }
  // Output that waits to be joined is due.
  vi.advanceTimersByTime(1_000);
  await nextTurn();
  const [fast, slow, focused] = [
    opened.filter(({ page, isFocused }) => !page.isSlow && !isFocused),
    opened.filter(({ page }) => page.isSlow),
    opened.filter(({ isFocused }) => isFocused),
  ].map((some) => some?.map(({ page }) => page) ?? []);
  for (const page of slow ?? []) await page.takeAll();
  vi.advanceTimersByTime(1_000);
  for (const page of slow ?? []) await page.takeAll();

  const upserts = (page: Page) => page.frames.flatMap(({ process }) => process ?? []);
  const numbers = (page: Page) => upserts(page).map(({ command }) => Number.parseInt(command, 10));
  const entries = (page: Page) => page.frames.flatMap((frame) => (frame.entries ?? []).map(({ msg }) => msg));
  const all = Array.from({ length: CHANGES }, (_, change) => change);
  const [first] = fast ?? [];
  if (first === undefined) return expect.unreachable("there is no page");

  expect(numbers(first)).toEqual(all);
  expect(entries(first)).toEqual(all.map((change) => `change ${change}`));
  expect(first.output).toEqual({ received: CHANGES * line.length, skipped: 0 });
  const isEvent = (bytes: Buffer) => frameOf(bytes).type !== "process_output";
  const events = first.sent.filter(isEvent);
  for (const page of fast ?? []) {
    const same = page.sent.filter(isEvent);
    expect(same.length === events.length && same.every((bytes, index) => bytes === events[index])).toBe(true);
    expect(page.output.skipped).toBe(0);
  }

  for (const page of focused ?? []) expect(numbers(page)).toEqual(all.filter((change) => nameOf(change % 40).startsWith("group-1/")));

  const places = new Map(events.map((bytes, index) => [bytes, index]));
  for (const page of slow ?? []) {
    const received = numbers(page);
    expect(received.length).toBeLessThan(CHANGES);
    // In order, none twice, and of each process at least the last one.
    expect([...received].sort((a, b) => a - b)).toEqual(received);
    expect(new Set(received).size).toBe(received.length);
    expect(received).toEqual(expect.arrayContaining(all.slice(-40)));
    expect(entries(page)).toEqual(entries(first));
    // The frames of the others, not copies.
    expect(page.sent.filter(isEvent).every((bytes) => places.has(bytes))).toBe(true);
    const { received: bytes, skipped } = page.output;
    expect(skipped).toBeGreaterThan(0);
    expect(bytes + skipped).toBe(CHANGES * line.length);
  }

  for (const { connection } of opened) connection.close();
  services.hub.close();
  services.events.close();
});

test("the more connections, the fewer times a second events are sent to them; one alone gets each at once", async () => {
  const rounds = async (count: number): Promise<number> => {
    const control = new FakeControl(["a"]);
    const services = connectionServices(control);
    const pages = Array.from({ length: count }, () => new Page(false));
    const ignored = () => {};
    const connections = pages.map((page) => {
      const observer = { congested: ignored, progress: ignored, drained: ignored, overflow: ignored };
      const principal = { user: "ada", via: "basic", address: "", grants: ADMIN_GRANTS } as const;
      return new Connection(services, { socket: page, observer, principal, client: null, view: FULL });
    });
    // 100 changes a second for 2 s.
    for (let change = 0; change < 200; change++) {
      control.update("a", { command: String(change) });
      await nextTurn();
      vi.advanceTimersByTime(10);
    }
    // Connections are sent the last ones in several turns.
    for (let turn = 0; turn < count / 100; turn++) {
      vi.advanceTimersByTime(100);
      await nextTurn();
    }
    const received = pages.map(({ frames }) => frames.length);
    expect(received).toEqual(pages.map(() => 200));
    for (const connection of connections) connection.close();
    services.hub.close();
    services.events.close();
    return Math.max(...pages.map(({ writes }) => writes));
  };
  expect(await rounds(1)).toBe(200);
  // (0.125 s in a row + 2 s) / 40 ms, and the last.
  expect(await rounds(1_000)).toBeLessThanOrEqual(55);
});
