import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_CHUNK_BYTES, type OutputChunk } from "../../../src/contract/messages.ts";
import { OutputSender } from "../../../src/daemon/output/output-sender.ts";
import { RingStore } from "../../../src/daemon/output/ring-store.ts";

function rig(backlog = 1024 * 1024) {
  const rings = new RingStore();
  const chunks: OutputChunk[] = [];
  const sender = new OutputSender({
    streamId: "life",
    findRing: (name) => rings.find(name),
    send: (chunk) => chunks.push(chunk),
    hold() {},
  });
  const say = (bytes: Uint8Array) => {
    rings.open("p", backlog).append(bytes);
    sender.pump("p");
  };
  return { rings, sender, chunks, say };
}

test("no chunk passes its window or is larger than allowed, and with windows moved on every byte comes once, in order", () => {
  const step = fc.oneof(
    fc.nat(200_000).map((say) => ({ say })),
    fc.integer({ min: 1, max: 300_000 }).map((open) => ({ open })),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const { sender, chunks, say } = rig(64 * 1024 * 1024);
      let written = 0;
      let until = 0;
      let position = 0;
      const check = () => {
        for (const chunk of chunks.splice(0)) {
          expect(chunk.gap).toBe(0);
          expect(chunk.offset).toBe(position);
          expect(chunk.data.length).toBeGreaterThan(0);
          expect(chunk.data.length).toBeLessThanOrEqual(MAX_CHUNK_BYTES);
          position += chunk.data.length;
          expect(position).toBeLessThanOrEqual(until);
        }
        expect(position).toBe(Math.max(position, Math.min(until, written)));
      };
      for (const action of steps) {
        if ("say" in action) {
          say(Buffer.alloc(action.say, "x"));
          written += action.say;
        } else {
          until = position + action.open;
          sender.set({ name: "p", from: position, length: action.open });
        }
        check();
      }
    }),
    { numRuns: 60 },
  );
});

test("a window that was moved sends nothing twice, and another window sends what it covers again", () => {
  const { sender, chunks, say } = rig();
  const offsets = () => chunks.splice(0).map(({ offset, data }) => [offset, data.length]);
  sender.set({ name: "p", from: 0, length: 100, moved: true });
  say(Buffer.alloc(150, "x"));
  expect(offsets()).toEqual([[0, 100]]);
  sender.set({ name: "p", from: 40, length: 100, moved: true });
  expect(offsets()).toEqual([[100, 40]]);
  sender.set({ name: "p", from: 60, length: 20, moved: true });
  expect(offsets()).toEqual([]);
  sender.set({ name: "p", from: 120, length: 100 });
  expect(offsets()).toEqual([[120, 30]]);
  sender.set({ name: "p", from: 170, length: 100, moved: true });
  say(Buffer.alloc(50, "x"));
  expect(offsets()).toEqual([[170, 30]]);
});

test("evicted bytes come as a gap that stays inside of the window", () => {
  const { sender, chunks, say, rings } = rig(4_096);
  say(Buffer.alloc(500_000, "x"));
  const start = rings.find("p")?.start ?? 0;
  sender.set({ name: "p", from: 1_000, length: 100 });
  expect(chunks.splice(0)).toEqual([{ name: "p", stream_id: "life", offset: 1_000, gap: 100, data: new Uint8Array(0) }]);
  sender.set({ name: "p", from: 1_100, length: 1_000_000 });
  expect(chunks[0]).toMatchObject({ offset: 1_100, gap: start - 1_100 });
  expect(chunks[1]?.offset).toBe(start);
  expect(chunks.slice(1).reduce((sum, chunk) => sum + chunk.data.length, 0)).toBe(500_000 - start);
});

test("a window from the end is anchored at once, and one of length 0 closes the window", () => {
  const { sender, chunks, say } = rig();
  say(Buffer.from("old"));
  sender.set({ name: "p", from: null, length: 100 });
  expect(chunks.splice(0)).toEqual([{ name: "p", stream_id: "life", offset: 3, gap: 0, data: new Uint8Array(0) }]);
  say(Buffer.from("new"));
  expect(chunks.splice(0)).toMatchObject([{ offset: 3, data: Buffer.from("new") }]);
  sender.set({ name: "p", from: 6, length: 0 });
  say(Buffer.from("unseen"));
  expect(chunks).toEqual([]);
});

test("a name that never ran is an empty ring at 0, and its output is sent once it runs", () => {
  const { sender, chunks, say } = rig();
  sender.set({ name: "p", from: null, length: 100 });
  say(Buffer.from("first"));
  expect(chunks.map((chunk) => [chunk.offset, chunk.data.length])).toEqual([
    [0, 0],
    [0, 5],
  ]);
});

test("a receiver that moves the window while it receives a chunk gets each byte once", () => {
  const rings = new RingStore();
  const offsets: number[] = [];
  const sender: OutputSender = new OutputSender({
    streamId: "life",
    findRing: (name) => rings.find(name),
    send: (chunk) => {
      offsets.push(chunk.offset);
      sender.set({ name: "p", from: chunk.offset + chunk.data.length, length: 10 });
    },
    hold() {},
  });
  rings.open("p", 4_096).append(Buffer.alloc(100, "x"));
  sender.set({ name: "p", from: 0, length: 10 });
  expect(offsets).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
});

test("output after a pause is sent at once; a stream is sent in pieces of 64 KiB, the rest of it after 2 ms", async () => {
  const { rings, sender, chunks } = rig();
  sender.set({ name: "p", from: 0, length: 1024 * 1024 });
  const say = (length: number) => {
    rings.open("p", 1024 * 1024).append(Buffer.alloc(length, "x"));
    sender.grown("p");
  };
  say(1);
  expect(chunks.map(({ data }) => data.length)).toEqual([1]);
  const reads = 40;
  for (let read = 0; read < reads; read++) say(4_096);
  // A machine that stood still for 2 ms in between makes one more piece.
  const streamed = chunks.slice(1).map(({ data }) => data.length);
  expect(streamed.length).toBeLessThan(reads / 4);
  await expect.poll(() => chunks.reduce((sum, { data }) => sum + data.length, 0)).toBe(1 + reads * 4_096);
  sender.clear();
});

/** A sender whose way out takes `room` chunks more. */
function fullRig() {
  const rings = new RingStore();
  const sent: OutputChunk[] = [];
  const way = { room: 0 };
  const sender = new OutputSender({
    streamId: "life",
    findRing: (name) => rings.find(name),
    send: (chunk) => {
      sent.push(chunk);
      way.room--;
    },
    hold() {},
    hasRoom: () => way.room > 0,
  });
  const write = (name: string, bytes: number, backlog = 4 * 1024 * 1024) => {
    rings.open(name, backlog).append(Buffer.alloc(bytes, "x"));
    sender.grown(name);
  };
  return { sender, sent, way, write };
}

test("while the connection is full, a flood waits in its ring; short output after a pause is sent at once", () => {
  const { sender, sent, way, write } = fullRig();
  for (const name of ["flood", "other flood", "shell"]) sender.set({ name, from: 0, length: 1024 * 1024 });
  write("flood", 500_000);
  write("other flood", 300_000);
  expect(sent).toEqual([]);
  write("shell", 1);
  expect(sent.map(({ name }) => name)).toEqual(["shell"]);
  way.room = 3;
  sender.roomAgain();
  way.room = 100;
  sender.roomAgain();
  const floods = sent.slice(1);
  expect(floods.slice(0, 6).map(({ name }) => name)).toEqual(["flood", "other flood", "flood", "other flood", "flood", "other flood"]);
  expect(floods.reduce((sum, { data }) => sum + data.length, 0)).toBe(800_000);
});

test("a ring that holds less than a window never waits: the output that it held back would be lost", () => {
  const { sender, sent, write } = fullRig();
  sender.set({ name: "small", from: 0, length: 1024 * 1024 });
  for (let index = 0; index < 10; index++) write("small", 64 * 1024, 64 * 1024);
  expect(sent.every(({ gap }) => gap === 0)).toBe(true);
  expect(sent.reduce((sum, { data }) => sum + data.length, 0)).toBe(640 * 1024);
  sender.clear();
});

test("whatever room there is, every byte of every process is sent once and in order", () => {
  const step = fc.oneof(
    fc.record({ name: fc.constantFrom("a", "b", "c"), say: fc.nat(100_000) }),
    fc.nat(4).map((room) => ({ room })),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { sender, sent, way, write } = fullRig();
      const written = new Map([..."abc"].map((name) => [name, 0]));
      for (const name of written.keys()) sender.set({ name, from: 0, length: 1024 * 1024 });
      for (const action of steps) {
        if ("say" in action) {
          if (action.say === 0) continue;
          write(action.name, action.say);
          written.set(action.name, (written.get(action.name) ?? 0) + action.say);
        } else {
          way.room = action.room;
          sender.roomAgain();
        }
      }
      way.room = Number.POSITIVE_INFINITY;
      for (const name of written.keys()) sender.pump(name);
      sender.roomAgain();
      const received = new Map([..."abc"].map((name) => [name, 0]));
      for (const { name, offset, gap, data } of sent) {
        expect([gap, offset]).toEqual([0, received.get(name)]);
        received.set(name, offset + data.length);
      }
      for (const [name, bytes] of written) expect(received.get(name)).toBe(Math.min(bytes, 1024 * 1024));
      sender.clear();
    }),
    { numRuns: 60 },
  );
});
