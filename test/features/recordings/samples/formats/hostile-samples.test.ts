import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { writeCsv } from "../../../../../src/features/recordings/samples/formats/csv.ts";
import { writeMatlab } from "../../../../../src/features/recordings/samples/formats/matlab.ts";
import { writePickle } from "../../../../../src/features/recordings/samples/formats/pickle.ts";
import type { FormatWriter, WriteOptions } from "../../../../../src/features/recordings/samples/samples.ts";
import { recorded, sample } from "./recorded.ts";

const dir = mkdtempSync(join(tmpdir(), "mgr-hostile-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const DEEP = `{"x":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
const READ = {
  csv: `import csv,io,json,sys,zipfile
rows = list(csv.reader(io.TextIOWrapper(zipfile.ZipFile(sys.argv[1]).open("a.csv"), "utf-8", newline="")))
print(json.dumps({name: [row[at] for row in rows[1:]] for at, name in enumerate(rows[0])}))`,
  pickle: `import json,pickle,sys
t = pickle.load(open(sys.argv[1], "rb"))["topics"]["a"]
print(json.dumps({"decoded": [str(x) for x in t["decoded"]], "note": list(t["note"]), "x": [str(x) for x in t["fields"]["x"]]}))`,
  matlab: `import json,scipy.io,sys
t = scipy.io.loadmat(sys.argv[1])["a"][0, 0]
print(json.dumps({"decoded": [str(x) for x in t["decoded"][0]], "note": [x.item() if x.size else "" for x in t["note"][0]],
  "x": [str(x) for x in t["fields"][0, 0]["x"][0]], "missed": t["missed"].item()}))`,
};

async function read(format: keyof typeof READ, write: FormatWriter, samples: readonly string[], options: WriteOptions = {}) {
  const path = join(dir, format);
  const topic = recorded(
    "a",
    samples.map((text, at) => sample(Buffer.from(text), at)),
    { encoding: "json", missed: 3 },
  );
  await write({ name: "logger", topics: [topic] }, path, options);
  return JSON.parse(execFileSync("/usr/bin/python3", ["-c", READ[format], path], { encoding: "utf8" })) as Record<string, unknown>;
}

it.each([
  ["csv", writeCsv],
  ["pickle", writePickle],
  ["matlab", writeMatlab],
] as const)(
  "%s: a deeply nested sample and one that is no JSON are notes in their rows, and the others are there",
  async (format, write) => {
    const found = await read(format, write, ['{"x":1.5}', DEEP, "no JSON", '{"x":2.5}']);
    expect(found).toMatchObject({
      decoded: ["1", "0", "0", "1"],
      note: ["", "nested deeper than 64 levels", "not JSON", ""],
      x: ["1.5", "nan", "nan", "2.5"],
    });
  },
);

it("matlab: the number of missed samples is a number", async () => {
  expect(await read("matlab", writeMatlab, ['{"x":1}', "no JSON"])).toMatchObject({ missed: 3 });
});

it("csv for spreadsheets: text that would be a formula begins with an apostrophe, in names of columns too; numbers stay as they are", async () => {
  const samples = ['{"=cmd":"=1+1","n":-1.5,"t":"@SUM(A1)","u":"plain","v":" +7","w":"-x"}'];
  const cells = { n: ["-1.5"], u: ["plain"] };
  expect(await read("csv", writeCsv, samples, { forSpreadsheets: true })).toMatchObject({
    ...cells,
    "'=cmd": ["'=1+1"],
    t: ["'@SUM(A1)"],
    v: ["' +7"],
    w: ["'-x"],
  });
  expect(await read("csv", writeCsv, samples)).toMatchObject({ ...cells, "=cmd": ["=1+1"], t: ["@SUM(A1)"], v: [" +7"], w: ["-x"] });
});

it("csv: a topic without samples has the columns that its definition promises", async () => {
  const path = join(dir, "empty");
  const definition = '{"properties":{"pose":{"properties":{"x":{"type":"number"}}},"name":{"type":"string"}}}';
  const topics = [
    recorded("a", [], { encoding: "json", definition }),
    recorded("b", [], { encoding: "cdr", definition: "float64 x\nint8[3] y" }),
  ];
  await writeCsv({ name: "logger", topics }, path);
  const names = `import csv,io,json,sys,zipfile
archive = zipfile.ZipFile(sys.argv[1])
print(json.dumps([list(csv.reader(io.TextIOWrapper(archive.open(name), "utf-8"))) for name in ("a.csv", "b.csv")]))`;
  expect(JSON.parse(execFileSync("/usr/bin/python3", ["-c", names, path], { encoding: "utf8" }))).toEqual([
    [["time_ns", "time", "decoded", "pose.x", "name"]],
    [["time_ns", "time", "decoded", "x", "y[0]", "y[1]", "y[2]"]],
  ]);
});
