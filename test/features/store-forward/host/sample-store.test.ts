import { appendFileSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type LogWindow, SampleLog } from "../../../../src/features/store-forward/host/sample-log.ts";
import { SampleStore } from "../../../../src/features/store-forward/host/sample-store.ts";
import { UnconfirmedSamples } from "../../../../src/features/store-forward/host/unconfirmed-samples.ts";

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

/** A log with so many samples on the disk. */
function logOf(count: number): SampleLog {
  const log = SampleLog.create(folder, "arm/state");
  for (let number = 0; number < count; number++) log.append(sample(number));
  log.flushSync();
  return log;
}

const segmentsOf = ({ id }: SampleLog) =>
  readdirSync(join(folder, id))
    .filter((name) => name.endsWith(".seg"))
    .map((name) => join(folder, id, name));

const step = fc.oneof(
  fc.record({ kind: fc.constant("append" as const), count: fc.integer({ min: 1, max: 40 }), size: fc.integer({ min: 0, max: 60_000 }) }),
  fc.record({ kind: fc.constant("send" as const), bytes: fc.integer({ min: 1, max: 300_000 }), arrived: fc.integer({ min: 0, max: 100 }) }),
  fc.record({ kind: fc.constant("restart" as const) }),
);

it("whatever is appended, sent, cut off and started again, samples come in order, none is lost, and none again once it was confirmed", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      let log: SampleLog | null = SampleLog.create(folder, "arm/state");
      let { id } = log;
      let [appended, confirmed, offset] = [0, 0, 0];
      for (const each of steps) {
        if (each.kind === "append") for (let at = 0; at < each.count; at++) log.append(sample(appended++, each.size));
        else if (each.kind === "send") {
          const window = await log.read(each.bytes);
          expect(window.first).toBe(confirmed - offset);
          expect(numbersOf(window)).toEqual(window.samples.map((_, at) => confirmed + at));
          expect(window.samples.length > 0).toBe(appended > confirmed);
          // The link may be cut before all of it was confirmed.
          confirmed += Math.min(each.arrived, window.samples.length);
          log.confirm(confirmed - offset);
        } else {
          log.flushSync();
          log = await SampleLog.open(join(folder, id), () => {});
          // Of a log whose samples have all arrived nothing is left: the next one has numbers of its own.
          expect(log === null).toBe(appended === confirmed);
          if (log === null) {
            log = SampleLog.create(folder, "arm/state");
            id = log.id;
            offset = appended;
          }
        }
        expect(log.count).toBe(appended - confirmed);
      }
    }),
    { numRuns: 40 },
  );
});

it("a sample that a killed daemon has written in part is dropped, and the next ones are read", async () => {
  const log = logOf(10);
  appendFileSync(segmentsOf(log)[0] ?? "", Buffer.from([200, 0, 0, 0, 1, 2, 3]));
  const next = await SampleLog.open(join(folder, log.id), () => {});
  next?.append(sample(10));
  expect(next && numbersOf(await next.read(1_000_000))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

it("a log whose daemon was killed before it wrote the samples that it had counted is opened with what is on the disk", async () => {
  const log = logOf(10);
  for (const path of segmentsOf(log)) rmSync(path);
  expect(await SampleLog.open(join(folder, log.id), () => {})).toBeNull();
  expect(readdirSync(folder)).toEqual([]);
});

it("a file that is damaged loses its samples, which are counted, and those of the other files are read", async () => {
  const store = storeOf();
  for (let number = 0; number < 30; number++) store.append("camera", sample(number, 100_000));
  await store.flush();
  const [log] = store.logs;
  if (log === undefined) throw new Error("there is no log");
  const paths = readdirSync(join(folder, "store", log.id)).filter((name) => name.endsWith(".seg"));
  const first = join(folder, "store", log.id, paths[0] ?? "");
  writeFileSync(first, Buffer.alloc(statSync(first).size, 255));
  expect((await store.read(log, 1)).samples).toEqual([]);
  expect(store.dropped).toBeGreaterThan(5);
  expect(numbersOf(await store.read(log, 1))).toEqual([store.dropped]);
});

it("a disk that does not take samples loses those, and none that it has", async () => {
  const log = logOf(10);
  const own = join(folder, log.id);
  // The folder is away for one write, as with a disk that fails: that works for root, too.
  renameSync(own, `${own}.away`);
  for (let number = 10; number < 15; number++) log.append(sample(number));
  await expect(log.flush()).rejects.toThrow("ENOENT");
  expect([log.count, log.dropped]).toEqual([10, 5]);
  renameSync(`${own}.away`, own);
  log.append(sample(15));
  expect(numbersOf(await log.read(1_000_000))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  log.confirm(10);
  const rest = await log.read(1_000_000);
  expect([rest.first, numbersOf(rest)]).toEqual([10, [15]]);
});

it("samples are removed when the configuration ends, and a new one begins without them", async () => {
  const store = storeOf();
  store.append("arm/state", sample(0));
  await store.flush();
  const cleared = store.clear();
  store.append("arm/state", sample(1));
  await cleared;
  await store.flush();
  const [log] = store.waiting;
  expect(log && numbersOf(await store.read(log, 1_000))).toEqual([1]);
  expect(readdirSync(join(folder, "store"))).toEqual([log?.id]);
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
