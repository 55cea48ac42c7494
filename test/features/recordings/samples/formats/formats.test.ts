import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { topicCodec } from "../../../../../src/features/data-plane/client/topic-codec.ts";
import { writeCsv } from "../../../../../src/features/recordings/samples/formats/csv.ts";
import { writeMatlab } from "../../../../../src/features/recordings/samples/formats/matlab.ts";
import { writePickle } from "../../../../../src/features/recordings/samples/formats/pickle.ts";
import { writeRaw } from "../../../../../src/features/recordings/samples/formats/raw.ts";
import type { LoggerSamples, TopicSamples } from "../../../../../src/features/recordings/samples/samples.ts";
import { Judge, type Kind, type Kinds } from "./judge.ts";
import { canonicalCell, recorded, sample } from "./recorded.ts";

const PROPERTY_MS = Number(process.env.MGR_PROPERTY_MS ?? 4_000);
const dir = mkdtempSync(join(tmpdir(), "mgr-formats-"));
const path = join(dir, "download");
let standard: Judge;
let scientific: Judge;
beforeAll(() => {
  standard = new Judge("-I", "-S");
  scientific = new Judge();
});
afterAll(async () => {
  await Promise.all([standard.end(), scientific.end()]);
  rmSync(dir, { recursive: true, force: true });
});

/** Every format that has columns, read by each of its judges. */
async function readColumns(logger: LoggerSamples, kinds: Kinds): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  await writePickle(logger, path);
  found["pickle, standard library"] = await standard.read("pickle", path, kinds);
  found["pickle, NumPy installed"] = await scientific.read("pickle", path, kinds);
  await writeMatlab(logger, path);
  found["matlab, SciPy"] = await scientific.read("matlab", path, kinds);
  await writeCsv(logger, path);
  found["csv, standard library"] = await standard.read("csv", path, kinds);
  return found;
}

async function agrees(source: TopicSamples, kinds: Kinds, values: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
  const fields = Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [name, values.map((value) => canonicalCell(kind, value[name]))]),
  );
  const times = values.map((_, number) => sample(null, number).received);
  const expected = { [source.topic]: { time_ns: times.map(String), time: times.map((time) => Number(time) / 1e9), fields } };
  const found = await readColumns({ name: "logger", topics: [source] }, kinds);
  for (const [judge, read] of Object.entries(found)) expect({ judge, read }).toEqual({ judge, read: expected });
}

const text = fc.string({ unit: fc.constantFrom("a", "ö", "µ", "😀", "世", " ", ",", '"', "\n", "\r", "'", "\\"), maxLength: 6 });
const integer = (bits: number, isSigned: boolean) =>
  isSigned ? fc.integer({ min: -(2 ** (bits - 1)), max: 2 ** (bits - 1) - 1 }) : fc.integer({ min: 0, max: 2 ** bits - 1 });
const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  bool: fc.boolean(),
  int8: integer(8, true),
  uint8: integer(8, false),
  int16: integer(16, true),
  uint16: integer(16, false),
  int32: integer(32, true),
  uint32: integer(32, false),
  int64: fc.oneof(fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  uint64: fc.oneof(fc.constant(2n ** 64n - 1n), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })),
  float32: fc.oneof(fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -0), fc.float()),
  float64: fc.oneof(fc.constantFrom(Number.NaN, Number.NEGATIVE_INFINITY, -0), fc.double()),
  string: text,
};
const kind: fc.Arbitrary<Kind> = fc.tuple(
  fc.constantFrom(...Object.keys(VALUES)),
  fc.oneof(fc.constantFrom("scalar", "variable"), fc.integer({ min: 1, max: 3 })) as fc.Arbitrary<Kind[1]>,
);

/** Kinds of fields, of which the second half is in a structure, and values of some messages. */
const messages = fc.array(kind, { minLength: 1, maxLength: 5 }).chain((kinds) => {
  const cell = ([type, shape]: Kind): fc.Arbitrary<unknown> => {
    const value = VALUES[type] ?? fc.constant(null);
    if (shape === "scalar") return value;
    return fc.array(value, shape === "variable" ? { maxLength: 3 } : { minLength: shape, maxLength: shape });
  };
  const names = kinds.map((_, at) => (at < kinds.length / 2 ? `f${at}` : `part.f${at}`));
  const row = fc.tuple(...kinds.map(cell)).map((cells) => Object.fromEntries(names.map((name, at) => [name, cells[at]])));
  return fc.record({
    kinds: fc.constant(Object.fromEntries(names.map((name, at) => [name, kinds[at] as Kind]))),
    values: fc.array(row, { maxLength: 4 }),
  });
});

function definitionOf(kinds: Kinds): string {
  const line = ([name, [type, shape]]: [string, Kind]) =>
    `${type}${shape === "scalar" ? "" : shape === "variable" ? "[]" : `[${shape}]`} ${name.replace("part.", "")}`;
  const of = (isPart: boolean) =>
    Object.entries(kinds)
      .filter(([name]) => name.startsWith("part.") === isPart)
      .map(line)
      .join("\n");
  if (of(true) === "") return of(false);
  return `${of(false)}\ntest_msgs/Part part\n${"=".repeat(80)}\nMSG: test_msgs/Part\n${of(true)}\n`;
}

function messageOf(value: Readonly<Record<string, unknown>>): object {
  const message: Record<string, unknown> = {};
  const part: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    if (name.startsWith("part.")) part[name.slice(5)] = field;
    else message[name] = field;
  }
  return { ...message, part };
}

describe("columns of a download", () => {
  it("are what was published, for any message definition", async () => {
    // Not interrupted: the next test would use the same file.
    const until = performance.now() + PROPERTY_MS;
    const property = fc.asyncProperty(messages, async ({ kinds, values }) => {
      if (performance.now() > until) return;
      const definition = definitionOf(kinds);
      const codec = topicCodec("cdr", definition);
      const samples = values.map((value, number) => sample(codec.encode(messageOf(value)), number));
      await agrees(recorded("arm/größe", samples, { encoding: "cdr", definition }), kinds, values);
    });
    await fc.assert(property, { numRuns: 300 });
  });

  it("are found in JSON: numbers that are text, lists, nested objects, missing and mixed fields", async () => {
    const definition = JSON.stringify({ type: "object", properties: { big: { type: "integer" }, limit: { type: "number" } } });
    const bodies = [
      { big: "9223372036854775807", limit: "NaN", x: 1.5, "pose µ": { p: [1, 2] }, list: [], ok: true, word: "größe 😀", odd: 1 },
      { big: 3, limit: "NaN", x: "-Infinity", "pose µ": { p: [3, "NaN"] }, list: [1], ok: false, word: "", odd: "b" },
      { big: -4, limit: "NaN", "pose µ": { p: [5, 6] }, list: [2, 3], ok: true, odd: null },
    ];
    const kinds: Kinds = {
      big: ["int64", "scalar"],
      limit: ["float64", "scalar"],
      x: ["float64", "scalar"],
      "pose µ.p": ["float64", 2],
      list: ["float64", "variable"],
      ok: ["bool", "scalar"],
      word: ["string", "scalar"],
      odd: ["string", "scalar"],
    };
    const { NaN: none, NEGATIVE_INFINITY: low } = Number;
    const values = [
      { big: 2n ** 63n - 1n, limit: none, x: 1.5, "pose µ.p": [1, 2], list: [], ok: true, word: "größe 😀", odd: "1" },
      { big: 3n, limit: none, x: low, "pose µ.p": [3, none], list: [1], ok: false, word: "", odd: "b" },
      { big: -4n, limit: none, x: none, "pose µ.p": [5, 6], list: [2, 3], ok: true, word: "", odd: "" },
    ];
    const samples = bodies.map((body, number) => sample(new TextEncoder().encode(JSON.stringify(body)), number));
    await agrees(recorded("json", samples, { encoding: "json", definition }), kinds, values);
  });

  it("are the bytes of a topic without a definition, or with a broken one", async () => {
    const payloads = [Uint8Array.of(0, 255, 10), new Uint8Array(0)];
    const kinds: Kinds = { payload: ["uint8", "variable"] };
    const samples = payloads.map(sample);
    const found = await readColumns(
      { name: "logger", topics: [recorded("broken", samples, { encoding: "cdr", definition: "no_type" })] },
      kinds,
    );
    const read = found["pickle, standard library"];
    expect(read).toMatchObject({ broken: { fields: { payload: [["0", "255", "10"], []] } } });
    expect(found["matlab, SciPy"]).toEqual(read);
  });

  it("keep a row for a message that does not fit its definition", async () => {
    const codec = topicCodec("cdr", "float64 x");
    const samples = [codec.encode({ x: 2 }), Uint8Array.of(1), codec.encode({ x: 3 })].map(sample);
    await agrees(recorded("a", samples, { encoding: "cdr", definition: "float64 x" }), { x: ["float64", "scalar"] }, [
      { x: 2 },
      { x: Number.NaN },
      { x: 3 },
    ]);
  });

  it("are times only if payloads were not recorded", async () => {
    await agrees(recorded("times", [sample(null, 0), sample(null, 1)], { only_ts: true, encoding: "cdr", definition: "float64 x" }), {}, [
      {},
      {},
    ]);
  });
});

describe("raw", () => {
  it("has the records of each topic, whatever its name", async () => {
    const names = ["arm/state", "../odd", "größe %", "x".repeat(250)];
    const samples = [sample(Uint8Array.of(1, 2), 7), { ...sample(new Uint8Array(0), 8), published: null, sequence: null }];
    await writeRaw({ name: "logger", topics: names.map((name) => recorded(name, samples)) }, path);
    const rows = [
      ["1700000000123456796", "1700000000000000008", "7", "0102"],
      ["1700000000123456797", "-1", "-1", ""],
    ];
    expect(await standard.read("raw", path, {})).toEqual(Object.fromEntries(names.map((name) => [name, rows])));
  });
});

describe("matlab", () => {
  it("refuses a topic over 2 GiB and says what to do", async () => {
    // The size is known from count and definition: the samples are not written.
    const source = { ...recorded("big", [], { encoding: "cdr", definition: "float64[1000000] x" }), count: 300 };
    const empty = { ...source, samples: () => emptySamples(300) };
    await expect(writeMatlab({ name: "logger", topics: [empty] }, path)).rejects.toThrow(
      /^topic big: the MATLAB variable of 2289 MiB is larger than 2 GiB, .* Download another format/,
    );
  });
});

async function* emptySamples(count: number) {
  for (let number = 0; number < count; number++) yield sample(new Uint8Array(0), number);
}

describe("memory", () => {
  it.each([
    ["pickle", writePickle],
    ["matlab", writeMatlab],
    ["csv", writeCsv],
    ["raw", writeRaw],
  ])(
    "of %s is bounded: 256 MiB pass through",
    async (_name, write) => {
      const payload = new Uint8Array(256 * 1024);
      const count = 1024;
      let most = 0;
      async function* samples() {
        for (let number = 0; number < count; number++) {
          most = Math.max(most, process.memoryUsage().arrayBuffers);
          yield sample(payload, number);
        }
      }
      const before = process.memoryUsage().arrayBuffers;
      await write({ name: "logger", topics: [{ ...recorded("big", []), count, samples }] }, path);
      // What was kept is 256 MiB; the garbage collector decides about the rest.
      expect(most - before).toBeLessThan(192 * 2 ** 20);
    },
    240_000,
  );
});
