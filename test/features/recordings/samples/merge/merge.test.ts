import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clockValues } from "../../../../../src/features/recordings/samples/mcap/clock-records.ts";
import { McapEncoder } from "../../../../../src/features/recordings/samples/mcap/encoder.ts";
import { summaryOf } from "../../../../../src/features/recordings/samples/mcap/file-summary.ts";
import { openMessageFile } from "../../../../../src/features/recordings/samples/mcap/message-file.ts";
import { mergeMcap } from "../../../../../src/features/recordings/samples/merge/merge.ts";
import { readMcap } from "../mcap/independent-reader.ts";
import { readIndexed } from "../mcap/indexed-reader.ts";

const MS = 1_000_000n;
const BEGIN = 1_700_000_000_000_000_000n;

let folder = "";
let count = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-merge-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A file of a host, written as the host sees it: times by its clock, which the test sets. */
class HostFile {
  readonly path = join(folder, `${++count}.mcap`);
  readonly #encoder = new McapEncoder();
  readonly #pieces: Uint8Array[] = [this.#encoder.begin("test")];
  readonly #channels = new Map<string, number>();

  constructor(host: string, topics = "arm/*") {
    this.metadata("mgr.recording", { recording: "run", host, part: "1", topics });
    this.#host = host;
  }
  readonly #host: string;

  metadata(name: string, values: Record<string, string>): this {
    this.#pieces.push(...this.#encoder.cut(), this.#encoder.addMetadata(name, values));
    return this;
  }

  clock(known: { offset: bigint; uncertainty: bigint; at: bigint } | null, step = 0n): this {
    return this.metadata("mgr.clock", clockValues(known, step));
  }

  message(time: bigint, id: number, topic = "arm/state", published = time): this {
    const channel =
      this.#channels.get(topic) ?? this.#encoder.addChannel({ topic, encoding: "json", schema: null, metadata: { host: this.#host } });
    this.#channels.set(topic, channel);
    const data = Buffer.from(JSON.stringify({ host: this.#host, id }));
    this.#encoder.addMessage({ channel, sequence: BigInt(id), logTime: time, publishTime: published, data });
    return this;
  }

  /** `cut`: bytes that are missing at its end, as in a file that still grows. */
  write(cut: number | null = null): string {
    const open = Buffer.concat([...this.#pieces, ...this.#encoder.cut()]);
    writeFileSync(this.path, cut === null ? Buffer.concat([open, ...this.#encoder.end()]) : open.subarray(0, open.length - cut));
    return this.path;
  }
}

async function merged(paths: readonly string[]) {
  const path = join(folder, `merged-${++count}.mcap`);
  const parts = paths.map((each) => ({ path: each, host: null, offset: null, excluded: [] }));
  const recording = { name: "run", files: paths.map((_, index) => `file-${index}`) };
  const result = await mergeMcap({ path, parts, metadata: [], recording });
  const { messages, metadata } = readMcap(readFileSync(path));
  const ids = messages.map(({ data, logTime }) => ({ ...(JSON.parse(String(data)) as { host: string; id: number }), time: logTime }));
  return { path, result, messages, ids, metadata: new Map(metadata.map(({ name, values }) => [name, values])) };
}

const pause = fc.bigInt({ min: 0n, max: 5_000n * MS });
const event = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("message" as const), pause }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("record" as const),
      pause,
      error: fc.integer({ min: -100, max: 100 }),
      within: fc.bigInt({ min: 0n, max: 20n * MS }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("set" as const), pause, by: fc.bigInt({ min: -3_600_000n * MS, max: 3_600_000n * MS }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("file" as const), pause }) },
);
const host = fc.record({
  offset: fc.bigInt({ min: -3_600_000n * MS, max: 3_600_000n * MS }),
  // Of its own time; the bound is 100 of any clock.
  ppm: fc.integer({ min: -99, max: 99 }),
  isMeasured: fc.boolean(),
  events: fc.array(event, { maxLength: 60 }),
});

/** Writes what a host recorded; `sent`: the true time of each message. */
function record(name: string, { offset: first, ppm, isMeasured, events }: typeof host extends fc.Arbitrary<infer H> ? H : never) {
  let [now, setBy] = [BEGIN, 0n];
  const offset = () => first + setBy + ((now - BEGIN) * BigInt(ppm)) / 1_000_000n;
  const written: string[] = [];
  const sent: { id: number; time: bigint; stretch: number; shown: bigint }[] = [];
  let stretch = 0;
  const say = (file: HostFile, error: bigint, uncertainty: bigint, step = 0n) =>
    file.clock(isMeasured ? { offset: offset() + error, uncertainty, at: now + offset() } : null, step);
  let file = say(new HostFile(name), 0n, 1n);
  for (const each of events) {
    now += each.pause;
    if (each.kind === "message") {
      file.message(now + offset(), sent.length);
      sent.push({ id: sent.length, time: now, stretch, shown: now + offset() });
    } else if (each.kind === "record") {
      if (isMeasured) say(file, (each.within * BigInt(each.error)) / 100n, each.within + 1n);
    } else if (each.kind === "set") {
      setBy += each.by;
      stretch++;
      say(file, 0n, 1n, each.by);
    } else {
      written.push(file.write());
      stretch++;
      file = say(new HostFile(name), 0n, 1n);
    }
  }
  written.push(file.write());
  return { written, sent };
}

test("a merged file has each message once, in the order of time, and no time is wrong by more than the file says, however clocks drift and are set", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(host, { minLength: 1, maxLength: 3 }), async (hosts) => {
      const recorded = hosts.map((each, index) => ({ name: `h${index}`, isMeasured: each.isMeasured, ...record(`h${index}`, each) }));
      const { ids, path, result, metadata } = await merged(recorded.flatMap(({ written }) => written));
      expect(result).toMatchObject({ messages: ids.length, damaged: [], refused: 0 });
      for (const [index, { time }] of ids.entries()) expect(time >= (ids[index - 1]?.time ?? 0n)).toBe(true);
      for (const { name, sent, isMeasured } of recorded) {
        const own = ids.filter((each) => each.host === name);
        expect(own.map(({ id }) => id).sort((a, b) => a - b)).toEqual(sent.map(({ id }) => id));
        const { uncertainty_ns = "", uncorrected_files = "" } = metadata.get(`mgr.recording.host/${name}`) ?? {};
        expect(uncertainty_ns === "").toBe(!isMeasured || sent.length === 0);
        expect(uncorrected_files !== "").toBe(!isMeasured && sent.length > 0);
        let before = { stretch: -1, id: -1 };
        for (const { id, time } of own) {
          const { time: truth, shown, stretch } = sent[id] ?? expect.fail();
          const error = time > truth ? time - truth : truth - time;
          // Divisions are rounded.
          if (isMeasured) expect(error).toBeLessThanOrEqual(BigInt(uncertainty_ns) + 3n);
          else expect(time).toBe(shown);
          if (stretch === before.stretch) expect(id).toBeGreaterThan(before.id);
          before = { stretch, id };
        }
      }
      expect((await readIndexed(path)).messages).toHaveLength(ids.length);
    }),
    { numRuns: 40 },
  );
});

test("a change of the manager's clock, which no host reports, begins another stretch at the record that shows it", async () => {
  const path = new HostFile("a")
    .clock({ offset: 0n, uncertainty: MS, at: BEGIN })
    .message(BEGIN + 1_000n * MS, 1)
    // The manager's clock was put back by an hour.
    .clock({ offset: 3_600_000n * MS, uncertainty: MS, at: BEGIN + 2_000n * MS })
    .message(BEGIN + 3_000n * MS, 2)
    .write();
  const { ids } = await merged([path]);
  expect(ids.map(({ id, time }) => [id, time - BEGIN])).toEqual([
    [2, -3_597_000n * MS],
    [1, 1_000n * MS],
  ]);
});

test("a growing file counts up to its last complete message, a damaged one is named, and losses are summed", async () => {
  const losses = (missed: number) => ({ "arm/state": JSON.stringify({ missed, dropped: 1 }) });
  const whole = new HostFile("a")
    .message(BEGIN + 2n, 1)
    .metadata("mgr.losses", losses(1))
    .metadata("mgr.losses", losses(2))
    .write();
  const growing = new HostFile("b")
    .metadata("mgr.losses", losses(3))
    .message(BEGIN + 1n, 1)
    .message(BEGIN + 3n, 2)
    .write(60);
  const broken = join(folder, "broken.mcap");
  writeFileSync(broken, "no MCAP file");
  const { path, ids, result, metadata } = await merged([whole, broken, growing]);
  expect(ids.map(({ host: of, id }) => [of, id])).toEqual([
    ["b", 1],
    ["a", 1],
  ]);
  expect(result.damaged).toEqual([{ part: 1, reason: expect.stringContaining("not an MCAP file") }]);
  expect(metadata.get("mgr.recording")).toEqual({ recording: "run", hosts: "a\nb", topics: "arm/*", damaged_files: "file-1" });
  expect(metadata.get("mgr.recording.host/a")).toMatchObject({ uncertainty_ns: "", uncorrected_files: "file-0" });
  // As `mgr record info` and `mgr play` read it.
  expect((await summaryOf(path)).topics).toEqual([expect.objectContaining({ topic: "arm/state", messages: 2, missed: 5, dropped: 2 })]);
  const file = await openMessageFile(path);
  const times: bigint[] = [];
  for await (const { logTime } of file.messages(0n, () => true)) times.push(logTime - BEGIN);
  expect([times, file.problem]).toEqual([[1n, 2n], null]);
  await file.close();
});

test("the publish time is put right as the log time is", async () => {
  const path = new HostFile("a")
    .clock({ offset: 500n, uncertainty: 1n, at: BEGIN })
    .message(BEGIN + 900n, 1, "arm/state", BEGIN + 700n)
    .write();
  const { messages } = await merged([path]);
  expect(messages.map(({ logTime, publishTime }) => [logTime - BEGIN, publishTime - BEGIN])).toEqual([[400n, 200n]]);
});
