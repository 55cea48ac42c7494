import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
// @ts-expect-error A plain script without types.
import { buildDaemon } from "../../scripts/build/bundle.js";
import { NODE_OPTIONS } from "../../src/app/local-daemon/prepared-daemon.ts";
import { STARTED } from "../../src/base/started.ts";

let launcher = "";
let built = "";
let folder = "";

beforeAll(async () => {
  built = mkdtempSync(join(tmpdir(), "mgr-launch-"));
  await buildDaemon(built);
  launcher = readFileSync(join(built, "daemon.cjs"), "utf8");
});
afterAll(() => rmSync(built, { recursive: true }));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-launch-"));
  writeFileSync(join(folder, "daemon.cjs"), launcher);
  writeFileSync(join(folder, "part.cjs"), 'exports.greet = (name) => "hello " + name;');
  program("one");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A program of two files that prints a greeting, and its own place. */
function program(name: string, more = ""): void {
  writeFileSync(
    join(folder, "daemon-main.cjs"),
    `const { greet } = require("./part.cjs"); console.log(greet("${name}"), __filename); ${more}`,
  );
}

function run(options: readonly string[] = []): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...options, join(folder, "daemon.cjs")], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

/** Inode of each saved file: a file that is written again has another one. */
function saved(): Record<string, number> {
  const top = join(folder, "code-cache");
  const files = readdirSync(top, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(files.map(({ name, parentPath }) => [name, statSync(join(parentPath, name)).ino]));
}

const path = (name: string) => {
  const found = readdirSync(join(folder, "code-cache"), { recursive: true, encoding: "utf8" }).find((file) => file.endsWith(name));
  return join(folder, "code-cache", found ?? "");
};
const greeting = (name: string) => `hello ${name} ${join(folder, "daemon-main.cjs")}\n`;

it("the bytecode of each file is saved at the first start, and used at the next", () => {
  expect(run()).toBe(greeting("one"));
  const first = saved();
  expect(Object.keys(first).sort()).toEqual(["daemon-main.cjs", "part.cjs"]);
  expect(run()).toBe(greeting("one"));
  expect(saved()).toEqual(first);
});

it("a file that could not be read is tried again", () => {
  const later = JSON.stringify(join(folder, "later.cjs"));
  const load = '(() => { try { return require("./later.cjs").word; } catch (error) { return error.code; } })()';
  program("one", `console.log(${load}); require("node:fs").writeFileSync(${later}, "exports.word = 'there';"); console.log(${load});`);
  expect(run()).toBe(`${greeting("one")}ENOENT\nthere\n`);
});

it("a file that has changed, however similar, is run and saved again", () => {
  run();
  const first = saved();
  program("two");
  expect(run()).toBe(greeting("two"));
  expect(saved()).toEqual({ ...first, "daemon-main.cjs": expect.any(Number) });
  expect(saved()["daemon-main.cjs"]).not.toBe(first["daemon-main.cjs"]);
});

it.each([
  ["one that was cut off", (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
  ["an empty one", () => Buffer.alloc(0)],
  ["one with other bytes", (bytes: Buffer) => bytes.map((byte, index) => (index > bytes.length / 2 ? byte ^ 0xff : byte))],
])("damaged bytecode is ignored: %s", (_, damage) => {
  run();
  writeFileSync(path("daemon-main.cjs"), damage(readFileSync(path("daemon-main.cjs"))));
  expect(run()).toBe(greeting("one"));
  const repaired = saved();
  run();
  expect(saved()).toEqual(repaired);
});

it("a folder that cannot be written is not needed", () => {
  writeFileSync(join(folder, "code-cache"), "not a folder");
  expect(run()).toBe(greeting("one"));
  expect(readFileSync(join(folder, "code-cache"), "utf8")).toBe("not a folder");
});

it("an installation that was removed is not created again", () => {
  program("one", `require("node:fs").rmSync(__dirname, { recursive: true });`);
  expect(run()).toBe(greeting("one"));
  expect(existsSync(folder)).toBe(false);
});

const TELL = `require("node:diagnostics_channel").channel("${STARTED}").publish(undefined);`;

it("flags of V8 are set once a program reports that it is up", () => {
  program(
    "one",
    `const { cachedDataVersionTag: flags } = require("node:v8"); const before = flags(); ${TELL} console.log(flags() !== before);`,
  );
  expect(run()).toBe(`${greeting("one")}true\n`);
});

it("what a program has compiled is saved when it reports that it is up, also if it is killed later", () => {
  program("one", `${TELL} process.kill(process.pid, "SIGKILL");`);
  mkdirSync(join(folder, "code-cache"));
  const { signal, stdout } = spawnSync(process.execPath, [join(folder, "daemon.cjs")], { encoding: "utf8" });
  expect({ signal, stdout }).toEqual({ signal: "SIGKILL", stdout: greeting("one") });
  expect(Object.keys(saved()).sort()).toEqual(["daemon-main.cjs", "part.cjs"]);
});

it("a program that stays keeps the size of the semi-spaces that it is started with, and uses the bytecode of the others", () => {
  run();
  const first = saved();
  // Objects that live through some collections let the young generation grow to its limit: two semi-spaces.
  const grow = `let kept = []; let most = 0;
    for (let i = 0; i < 2e6; i++) {
      kept = i % 3e5 === 0 ? [] : kept;
      kept.push({ i, list: [i] });
      if (i % 1e4 === 0) most = Math.max(most, require("node:v8").getHeapSpaceStatistics().find((each) => each.space_name === "new_space").space_size);
    }
    console.log(most / 1048576);`;
  program("one", grow);
  const sizes = [run(), run(NODE_OPTIONS)].map((text) => Number(text.split("\n")[1]));
  expect(sizes[0]).toBeGreaterThan(8);
  expect(sizes[1]).toBeLessThanOrEqual(8);
  expect(Object.keys(saved())).toEqual(Object.keys(first));
  expect(readdirSync(join(folder, "code-cache"))).toHaveLength(1);
});

/** The mode of each folder and file of the saved bytecode. */
function modes(): string[] {
  const top = join(folder, "code-cache");
  const entries = readdirSync(top, { recursive: true, encoding: "utf8" }).map((name) => join(top, name));
  return [top, ...entries].map((entry) => (statSync(entry).mode & 0o777).toString(8));
}

it.each([0, 0o077])("bytecode has modes that others can read but not write, under umask %o", (mask) => {
  const before = process.umask(mask);
  try {
    run();
  } finally {
    process.umask(before);
  }
  expect(modes()).toEqual(["755", "755", "644", "644"]);
});

it("ignores bytecode that others could write, and mends its own folder", () => {
  run();
  const planted = path("daemon-main.cjs");
  for (const place of [join(folder, "code-cache"), dirname(planted), planted]) {
    const first = saved();
    chmodSync(place, 0o777);
    expect(run()).toBe(greeting("one"));
    expect(saved()["daemon-main.cjs"], place).not.toBe(first["daemon-main.cjs"]);
    expect(modes()).toEqual(["755", "755", "644", "644"]);
  }
});

it("a link in the place of the folder is neither used nor written through", () => {
  const elsewhere = mkdtempSync(join(tmpdir(), "mgr-launch-"));
  try {
    symlinkSync(elsewhere, join(folder, "code-cache"));
    expect(run()).toBe(greeting("one"));
    expect(readdirSync(elsewhere)).toEqual([]);
  } finally {
    rmSync(elsewhere, { recursive: true });
  }
});

it.runIf(process.geteuid?.() === 0)("root uses no bytecode of another user, and writes none into the installation of one", () => {
  run();
  const first = saved();
  const other = 54_321;
  for (const place of [join(folder, "code-cache"), path("daemon-main.cjs"), path("part.cjs")]) chownSync(place, other, other);
  // As if it were the other user's: nothing is compiled from it, and root may not save.
  chownSync(folder, other, other);
  program("two");
  expect(run()).toBe(greeting("two"));
  expect(saved()).toEqual(first);
  rmSync(join(folder, "code-cache"), { recursive: true });
  expect(run()).toBe(greeting("two"));
  expect(existsSync(join(folder, "code-cache"))).toBe(false);
});
