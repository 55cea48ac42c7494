import { appendFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, test } from "vitest";
import { verifyTrail } from "../../../../src/features/audit/trail/verify.ts";
import { AuditRig, give, patientClock } from "../rig.ts";

/** A trail of six commands: the record of the file is line 1, the request of command n is line 2n. */
async function written(rig: AuditRig): Promise<void> {
  const audit = await rig.start();
  for (const name of ["one", "two", "three", "four", "five", "six"]) await give(audit, name);
  await audit.close();
}

function edit(path: string, change: (lines: string[]) => void): void {
  const lines = readFileSync(path, "utf8").split("\n");
  change(lines);
  writeFileSync(path, lines.join("\n"), { mode: 0o600 });
}

test("the records of several managers are one chain, and the key is for their user only", async () => {
  await using rig = new AuditRig();
  for (let manager = 1; manager <= 3; manager++) await written(rig);
  const report = await verifyTrail(rig.folder);
  expect(report).toMatchObject({
    files: 1,
    records: 1 + 3 * 12,
    first: { seq: 1 },
    last: { seq: 37 },
    problems: [],
    problemCount: 0,
    endsInLine: false,
  });
  expect(statSync(join(rig.folder, "key")).mode & 0o777).toBe(0o600);
  expect(statSync(rig.path(1)).mode & 0o777).toBe(0o600);
});

it.each<[string, (path: string) => void, { line: number | null; message: RegExp }[]]>([
  [
    "a changed record",
    (path) => edit(path, (lines) => lines.splice(3, 1, (lines[3] ?? "").replace('"ada"', '"bob"'))),
    [{ line: 4, message: /was changed/ }],
  ],
  ["a removed record", (path) => edit(path, (lines) => lines.splice(3, 1)), [{ line: 4, message: /number is 5, not 4/ }]],
  [
    "an added record",
    (path) => edit(path, (lines) => lines.splice(4, 0, lines[1] ?? "")),
    [
      { line: 5, message: /number is 2, not 5/ },
      { line: 6, message: /number is 5, not 3/ },
    ],
  ],
  [
    "two records that changed their places",
    (path) => edit(path, (lines) => lines.splice(3, 2, lines[4] ?? "", lines[3] ?? "")),
    [
      { line: 4, message: /number is 5, not 4/ },
      { line: 5, message: /number is 4, not 6/ },
      { line: 6, message: /number is 6, not 5/ },
    ],
  ],
  ["a line that is no record", (path) => edit(path, (lines) => lines.splice(3, 1, "nothing")), [{ line: 4, message: /is damaged/ }]],
  [
    "a removed beginning",
    (path) => edit(path, (lines) => lines.splice(0, 2)),
    [
      { line: 1, message: /lines before it are missing/ },
      { line: 1, message: /was changed/ },
    ],
  ],
])("the check of the chain finds %s", async (_what, damage, problems) => {
  await using rig = new AuditRig();
  await written(rig);
  damage(rig.path(1));
  const report = await verifyTrail(rig.folder);
  expect(report.problems).toEqual(
    problems.map(({ line, message }) => ({ file: "audit-000001.jsonl", line, message: expect.stringMatching(message) })),
  );
});

test("records without the key, or with another one, cannot be checked, which is a problem", async () => {
  await using rig = new AuditRig();
  await written(rig);
  rmSync(join(rig.folder, "key"));
  expect((await verifyTrail(rig.folder)).problems).toMatchObject([{ line: null, message: /key of this folder is missing/ }]);
  await written(rig);
  const { problems, records } = await verifyTrail(rig.folder);
  expect(problems).toMatchObject([{ file: "audit-000001.jsonl", line: null, message: /is another one/ }]);
  expect(records).toBe(13);
});

test("newest records that were removed cannot be noticed, as the documents say", async () => {
  await using rig = new AuditRig();
  await written(rig);
  edit(rig.path(1), (lines) => lines.splice(-4, 3));
  expect(await verifyTrail(rig.folder)).toMatchObject({ problems: [], last: { seq: 10 } });
});

test("a line that the end of a manager cut is marked by the next one, and the chain goes on", async () => {
  await using rig = new AuditRig();
  await written(rig);
  truncateSync(rig.path(1), statSync(rig.path(1)).size - 20);
  expect(await verifyTrail(rig.folder)).toMatchObject({ endsInLine: true, problems: [], cuts: 0 });
  await written(rig);
  expect(await verifyTrail(rig.folder)).toMatchObject({ endsInLine: false, problems: [], cuts: 1, last: { seq: 25 } });
  expect(rig.records().filter(({ event }) => event === "cut")).toEqual([
    { seq: 13, event: "cut", bytes: expect.any(Number), sha256: expect.any(String) },
  ]);
  expect(rig.logged).toContainEqual(expect.stringContaining("cut the last line"));
});

test("a cut line whose text was changed afterwards is damage", async () => {
  await using rig = new AuditRig();
  await written(rig);
  truncateSync(rig.path(1), statSync(rig.path(1)).size - 20);
  await written(rig);
  edit(rig.path(1), (lines) => lines.splice(12, 1, `${lines[12] ?? ""}x`));
  expect(await verifyTrail(rig.folder)).toMatchObject({ cuts: 0, problems: [{ line: 13, message: /is damaged/ }] });
});

test("a file that was cut within its first line is followed by another one", async () => {
  await using rig = new AuditRig();
  await written(rig);
  appendFileSync(rig.path(2), '{"seq":', { mode: 0o600 });
  await written(rig);
  expect(await rig.files()).toEqual([1, 2, 3]);
  expect(await verifyTrail(rig.folder)).toMatchObject({ cuts: 1, problems: [] });
});

test("files end at their size, the oldest are removed, and one that should be there is missed", async () => {
  await using rig = new AuditRig();
  rig.settings = { ...rig.settings, max_size: 1_000, max_files: 3 };
  for (let manager = 1; manager <= 3; manager++) await written(rig);
  const files = await rig.files();
  expect(files).toHaveLength(3);
  expect(files[0]).toBeGreaterThan(1);
  expect(await verifyTrail(rig.folder)).toMatchObject({ files: 3, problems: [] });
  rmSync(rig.path(files[1] ?? 0));
  expect((await verifyTrail(rig.folder)).problems).toMatchObject([
    { file: `audit-${String(files[1]).padStart(6, "0")}.jsonl`, message: "the file is missing" },
  ]);
  rmSync(rig.path(files[0] ?? 0));
  expect((await verifyTrail(rig.folder)).problems).toMatchObject([{ message: /says that it was kept/ }]);
});

test("a file that is removed while it is written is begun again, and the check misses what was in it", async () => {
  await using rig = new AuditRig();
  let now = 0;
  const audit = await rig.start({ clock: { ...patientClock, monotonic: () => now } });
  await give(audit, "one");
  rmSync(rig.folder, { recursive: true });
  now = 10_000;
  await give(audit, "two");
  await audit.close();
  expect(rig.records()).toMatchObject([{ event: "accepted" }, { command: "two" }, { event: "accepted" }]);
  expect(rig.logged).toContainEqual(expect.stringContaining("was removed or replaced"));
  expect((await verifyTrail(rig.folder)).problems).toMatchObject([{ line: 1, message: /lines before it are missing/ }, { line: 1 }]);
});
