import { appendFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type LogWindow, SampleLog } from "../../../src/features/store-forward/host/sample-log.ts";
import { SampleStore } from "../../../src/features/store-forward/host/sample-store.ts";
import { UnconfirmedSamples } from "../../../src/features/store-forward/host/unconfirmed-samples.ts";

let folder: string;
let now = 0n;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-samples-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const sample = (number: number, size = 0) => ({
  received: now,
  headers: Buffer.from(`NATS/1.0\r\nMgr-Seq: ${number + 1}\r\n\r\n`),
  payload: Buffer.concat([Buffer.from(String(number)), Buffer.alloc(size, " ")]),
});
const numbersOf = ({ samples }: LogWindow) => samples.map(({ payload }) => Number(Buffer.from(payload).toString()));

function storeOf({ maxBytes = 1e9, maxAgeMs = 1e9 } = {}): SampleStore {
  const store = new SampleStore({ folder: join(folder, "store"), now: () => now, log: () => {} });
  store.limits = { maxBytes, maxAgeMs };
  return store;
}

const step = fc.oneof(
  fc.record({ kind: fc.constant("append" as const), count: fc.integer({ min: 1, max: 40 }), size: fc.integer({ min: 0, max: 60_000 }) }),
  fc.record({ kind: fc.constant("send" as const), bytes: fc.integer({ min: 1, max: 300_000 }), arrived: fc.integer({ min: 0, max: 100 }) }),
  fc.record({ kind: fc.constant("restart" as const) }),
);

it("whatever is appended, sent, cut off and started again, samples come in order, none is lost, and none again once it was confirmed", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      rmSync(join(folder, "log"), { recursive: true, force: true });
      let log: SampleLog | null = SampleLog.create(join(folder, "log"), "arm/state");
      let [appended, confirmed] = [0, 0];
      for (const each of steps) {
        if (each.kind === "append") for (let at = 0; at < each.count; at++) log.append(sample(appended++, each.size));
        else if (each.kind === "send") {
          const window = await log.read(each.bytes);
          expect(window.first).toBe(confirmed);
          expect(numbersOf(window)).toEqual(window.samples.map((_, at) => confirmed + at));
          expect(window.samples.length > 0).toBe(appended > confirmed);
          // The link may be cut before all of it was confirmed.
          confirmed += Math.min(each.arrived, window.samples.length);
          log.confirm(confirmed);
        } else {
          log.flushSync();
          log = await SampleLog.open(join(folder, "log"), () => {});
          if (log === null) throw new Error("the log is gone");
        }
        expect(log.count).toBe(appended - confirmed);
      }
    }),
    { numRuns: 40 },
  );
});

it("a sample that a killed daemon has written in part is dropped, and the next ones are read", async () => {
  const path = join(folder, "log");
  const log = SampleLog.create(path, "arm/state");
  for (let number = 0; number < 10; number++) log.append(sample(number));
  log.flushSync();
  const [segment = ""] = readdirSync(path).filter((name) => name.endsWith(".seg"));
  appendFileSync(join(path, segment), Buffer.from([200, 0, 0, 0, 1, 2, 3]));
  const next = await SampleLog.open(path, () => {});
  next?.append(sample(10));
  expect(next && numbersOf(await next.read(1_000_000))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

it("beyond max_size, the topic with the most bytes loses its oldest samples, and they are counted", async () => {
  const store = storeOf({ maxBytes: 4 * 1024 * 1024 });
  store.append("gps", sample(0));
  for (let number = 0; number < 80; number++) {
    store.append("camera", sample(number, 100_000));
    await store.flush();
  }
  const [camera, gps] = ["camera", "gps"].map((name) => store.waiting.find(({ topic }) => topic === name));
  if (camera === undefined || gps === undefined) throw new Error("a topic is gone");
  expect(gps.count).toBe(1);
  expect(camera.bytes).toBeLessThanOrEqual(4 * 1024 * 1024);
  expect(camera.count).toBeGreaterThan(20);
  expect(store.dropped).toBe(80 - camera.count);
  expect(numbersOf(await store.read(camera, 1))).toEqual([80 - camera.count]);
});

it("samples older than max_age are dropped and counted", async () => {
  now = 1_000_000_000n;
  const store = storeOf({ maxAgeMs: 1_000 });
  for (let number = 0; number < 20; number++) store.append("arm/state", sample(number));
  now += 2_000_000_000n;
  await store.flush();
  expect([store.count, store.dropped]).toEqual([0, 20]);
});

it("samples that the hub has not confirmed are taken over when the link is cut, and no others", () => {
  const unconfirmed = new UnconfirmedSamples();
  for (let number = 0; number < 10; number++) unconfirmed.add("arm/state", sample(number), number * 100);
  unconfirmed.confirm(350);
  expect(unconfirmed.take().map(({ sample: { payload } }) => Buffer.from(payload).toString())).toEqual(["4", "5", "6", "7", "8", "9"]);
  expect(unconfirmed.take()).toEqual([]);
});
