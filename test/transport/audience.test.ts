import { Subscription } from "rxjs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Grant } from "../../src/base/access/access.ts";
import { Audience } from "../../src/transport/audience.ts";
import type { EncodedFrame, EventBatch, ReadPosition } from "../../src/transport/event-batch.ts";
import { Outbox, type OutboxSocket } from "../../src/transport/outbox.ts";
import type { ViewMode } from "../../src/transport/view.ts";
import { connectionServices } from "../support/fakes/connection-services.ts";
import { FakeControl } from "../support/fakes/fake-control.ts";

const frameOf = (text: string, mergeKey: string | null = null): EncodedFrame => ({ bytes: Buffer.from(text), mergeKey });
const textsOf = (batch: EventBatch | null) => batch?.frames.map(({ bytes }) => bytes.toString()) ?? null;

/** An audience, and what its streams do. */
function audience() {
  let append: (frame: EncodedFrame) => void = () => expect.unreachable();
  let isOpen = true;
  const created = new Audience({
    subscribe: (to) => {
      append = to;
      return [new Subscription(() => (isOpen = false))];
    },
    beforeJoin: () => {},
    onEmpty: () => {},
  });
  return { audience: created, say: (text: string, key?: string) => append(frameOf(text, key)), isOpen: () => isOpen };
}

/** A socket that accepts whole batches; the kernel takes the bytes when the test says so. */
class BatchSocket implements OutboxSocket {
  readonly batches: EventBatch[] = [];
  readonly messages: string[] = [];
  readonly #untaken: (() => void)[] = [];

  send(data: Buffer, _options: unknown, done: () => void): void {
    this.messages.push(data.toString());
    this.#untaken.push(done);
  }

  sendBatch(batch: EventBatch, done: () => void): void {
    this.batches.push(batch);
    this.messages.push(...(textsOf(batch) ?? []));
    this.#untaken.push(done);
  }

  get bufferedAmount(): number {
    return this.#untaken.length;
  }

  cork(): void {}
  uncork(): void {}

  takeAll(): void {
    for (const done of this.#untaken.splice(0)) done();
  }
}

const ignored = () => {};
function outbox(socket: OutboxSocket, overflow = ignored): Outbox {
  return new Outbox(socket, { congested: ignored, progress: ignored, drained: ignored, overflow });
}

test("readers that have read equally far get the same batch, others what they have not read", () => {
  const { audience: all, say } = audience();
  const [one, two, late] = [all.join({ hasEvents: ignored }), all.join({ hasEvents: ignored }), all.join({ hasEvents: ignored })];
  say("a");
  expect(textsOf(late.take())).toEqual(["a"]);
  say("b");
  const batch = one.take();
  expect(textsOf(batch)).toEqual(["a", "b"]);
  expect(batch?.bytes).toBe(2);
  expect(two.take()).toBe(batch);
  expect(textsOf(late.take())).toEqual(["b"]);
  expect(one.take()).toBeNull();
});

test("a reader is told once that events wait, and again after it has taken them", () => {
  const { audience: all, say } = audience();
  const hasEvents = vi.fn();
  const position = all.join({ hasEvents });
  say("a");
  say("b");
  expect(hasEvents).toHaveBeenCalledTimes(1);
  position.take();
  say("c");
  expect(hasEvents).toHaveBeenCalledTimes(2);
});

test("a reader gets events from its joining on; the streams close with the last one", () => {
  const { audience: all, say, isOpen } = audience();
  const first = all.join({ hasEvents: ignored });
  say("a");
  const second = all.join({ hasEvents: ignored });
  expect(second.take()).toBeNull();
  first.leave();
  first.leave();
  expect(isOpen()).toBe(true);
  second.leave();
  expect(isOpen()).toBe(false);
});

test("an answer is sent after the events before it, and before those behind it", async () => {
  const { audience: all, say } = audience();
  const socket = new BatchSocket();
  const box = outbox(socket);
  box.follow(() => all.join(box));
  say("event 1");
  box.reply(Buffer.from("answer"));
  say("event 2");
  await Promise.resolve();
  expect(socket.messages).toEqual(["event 1", "answer", "event 2"]);
});

test("a slow reader misses replaced states only, and is closed when too much waits for it", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const { audience: all, say } = audience();
  const socket = new BatchSocket();
  const overflow = vi.fn();
  const box = outbox(socket, overflow);
  box.follow(() => all.join(box));
  const kilobytes = "x".repeat(100_000);
  for (let change = 0; change < 200; change++) {
    say(`${change} ${kilobytes}`, "state");
    vi.advanceTimersByTime(1_000);
    await Promise.resolve();
  }
  expect(overflow).not.toHaveBeenCalled();
  for (let turn = 0; turn < 100; turn++) {
    socket.takeAll();
    await Promise.resolve();
  }
  const numbers = socket.messages.map((message) => Number.parseInt(message, 10));
  expect(numbers.length).toBeLessThan(50);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  expect(numbers.at(-1)).toBe(199);
  for (let change = 0; change < 200; change++) {
    say(kilobytes);
    vi.advanceTimersByTime(1_000);
    await Promise.resolve();
  }
  expect(overflow).toHaveBeenCalledTimes(1);
});

let services: ReturnType<typeof connectionServices>;
let control: FakeControl;
beforeEach(() => {
  control = new FakeControl(["shown/a", "hidden/b"]);
  services = connectionServices(control);
});
afterEach(() => {
  services.hub.close();
  services.events.close();
  vi.useRealTimers();
});

test("connections with equal views, roles and level share events; others see their own", () => {
  const granted = (): ViewMode => {
    const grants: Grant[] = [{ role: "viewer", on: ["shown/*"] }];
    return { kind: "granted", within: { kind: "full" }, grants };
  };
  const join = (view: ViewMode): ReadPosition => services.audiences.join({ hasEvents: ignored }, view, "info");
  const [full, same, some, others] = [join({ kind: "full" }), join({ kind: "full" }), join(granted()), join(granted())];
  control.update("shown/a", { command: "one" });
  control.update("hidden/b", { command: "two" });
  const namesOf = (batch: EventBatch | null) =>
    batch?.frames.map(({ bytes }) => (JSON.parse(bytes.toString()) as { process?: { name: string } }).process?.name);
  const batch = full.take();
  expect(namesOf(batch)).toEqual(["shown/a", "hidden/b"]);
  expect(same.take()).toBe(batch);
  const shown = some.take();
  expect(namesOf(shown)).toEqual(["shown/a"]);
  expect(others.take()).toBe(shown);
  for (const position of [full, same, some, others]) position.leave();
});
