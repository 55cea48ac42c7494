import fc from "fast-check";
import { expect, test } from "vitest";
import { compareSettings, type NextSettings } from "../../../../src/features/running-settings/host/compare.ts";
import { type ProcSettings, parseEnvironment, parseLimits } from "../../../../src/features/running-settings/host/proc-settings.ts";

const RUNNING: ProcSettings = {
  environment: new Map(),
  isCut: false,
  limits: new Map([["nofile", { soft: 1_024, hard: null }]]),
  cwd: "/work",
  uid: 0,
  umask: 0o22,
  nice: 0,
  policy: 0,
  prio: 0,
  affinity: [0, 1],
};
const NEXT: NextSettings = { environment: {}, cwd: "/work", user: "root", umask: null, limits: {}, scheduling: null };

const compare = (running: Partial<ProcSettings>, next: Partial<NextSettings> = {}) =>
  compareSettings({ ...RUNNING, ...running }, { ...NEXT, ...next }, (uid) => (uid === 0 ? "root" : String(uid)));
const rowOf = (rows: ReturnType<typeof compare>, name: string) => rows.find((row) => row.name === name);

test("a variable is the same, changed, added or missing; what mgr and shells set has that reason", () => {
  const environment = new Map([
    ["SAME", "1"],
    ["CHANGED", "1"],
    ["ADDED", "1"],
    ["MGR_RUN", "1-1"],
    ["PWD", "/work"],
    ["__proto__", "x"],
  ]);
  const rows = compare({ environment }, { environment: { SAME: "1", CHANGED: "2", MISSING: "3" } });
  const found = rows.filter(({ group }) => group === "environment").map(({ name, comparison, reason }) => [name, comparison, reason]);
  expect(found).toEqual([
    ["ADDED", "added", null],
    ["CHANGED", "changed", null],
    ["MGR_RUN", "added", "set by mgr"],
    ["MISSING", "missing", null],
    ["PWD", "added", "set by a shell"],
    ["SAME", "same", null],
    ["__proto__", "added", null],
  ]);
});

test("what is not configured is inherited, and what is configured is compared in the units of the configuration", () => {
  const rows = compare(
    { uid: 1_000, nice: 5, policy: 1, prio: 20 },
    { umask: 0o22, limits: { nofile: { soft: 2_048, hard: 2_048 } }, scheduling: { policy: 1, prio: 10, affinity: [0, 1], nice: null } },
  );
  expect(
    rows
      .filter(({ group }) => group !== "environment")
      .map(({ name, running, configured, comparison }) => [name, running, configured, comparison]),
  ).toEqual([
    ["cwd", "/work", "/work", "same"],
    ["user", "1000", "root", "changed"],
    ["umask", "022", "022", "same"],
    ["nice", "5", null, "inherited"],
    ["policy", "fifo", "fifo", "same"],
    ["prio", "20", "10", "changed"],
    ["affinity", "0,1", "0,1", "same"],
    ["nofile", "1024 (hard unlimited)", "2048", "changed"],
  ]);
});

test("what cannot be read is not known, and a cut environment says nothing about variables behind the cut", () => {
  const environment = { A: "1" };
  expect(rowOf(compare({ environment: null, cwd: null }, { environment }), "A")).toMatchObject({ comparison: "unknown" });
  expect(rowOf(compare({ environment: null, cwd: null }), "cwd")).toMatchObject({ comparison: "unknown" });
  expect(rowOf(compare({ isCut: true }, { environment }), "A")).toMatchObject({ comparison: "unknown" });
  expect(rowOf(compare({ environment: new Map([["A", "1"]]) }, { environment: null }), "A")).toMatchObject({ comparison: "unknown" });
});

test("long values are compared as a whole, and sent cut", () => {
  const long = "x".repeat(10_000);
  const [row] = compare({ environment: new Map([["A", `${long}1`]]) }, { environment: { A: `${long}2` } }).filter(
    ({ name }) => name === "A",
  );
  expect(row).toMatchObject({ comparison: "changed" });
  expect(row?.running).toHaveLength(4_097);
});

test("any bytes of an environment are variables or nothing", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, isCut) => {
      for (const [name, value] of parseEnvironment(Buffer.from(bytes), isCut)) {
        expect(name).not.toBe("");
        expect(name + value).not.toContain("\0");
      }
    }),
  );
  const variables = parseEnvironment(Buffer.from("A=1\0A=2\0=x\0B\0C=a=b\0LAST=par"), true);
  expect([...variables]).toEqual([
    ["A", "1"],
    ["C", "a=b"],
  ]);
});

test("limits are read by the kernel's names; lines that are not there are left out", () => {
  const text = `Limit                     Soft Limit           Hard Limit           Units     
Max cpu time              unlimited            unlimited            seconds   
Max open files            1024                 524288               files     
Max nice priority         0                    0                    
`;
  expect([...parseLimits(text)]).toEqual([
    ["cpu", { soft: null, hard: null }],
    ["nice", { soft: 0, hard: 0 }],
    ["nofile", { soft: 1_024, hard: 524_288 }],
  ]);
});
