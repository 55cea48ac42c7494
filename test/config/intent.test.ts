import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { IntentStore, type IntentStoreOptions } from "../../src/config/state/intent-store.ts";
import { bundled } from "../support/bundled.ts";
import { StoppableFiles } from "../support/fakes/stoppable-files.ts";

let folder = "";
let path = "";
/** Closed after each test, as by the end of the program. */
let files = new StoppableFiles();
beforeEach(async () => {
  folder = await fs.mkdtemp(join(tmpdir(), "mgr-intent-"));
  path = join(folder, "state", "intent.json");
  files = new StoppableFiles();
});
afterEach(async () => {
  await files[Symbol.asyncDispose]();
  await fs.rm(folder, { recursive: true, force: true });
});

const open = (options: IntentStoreOptions = {}) => IntentStore.open(path, { fileSystem: files.fileSystem, ...options });

const readJson = async () => JSON.parse(await fs.readFile(path, "utf8"));

describe("intent", () => {
  it("is found again by the next store, names like __proto__ included, in a file that only its owner may read", async () => {
    const store = await open();
    expect(store.warning).toBeNull();
    expect(store.get("a")).toEqual({});
    for (const name of ["a", "__proto__", "constructor"]) store.set(name, { requested_state: "start" });
    store.set("a", { rows: 50, cols: 132 });
    store.set("constructor", { requested_state: "stop" });
    store.endJournal();
    await store.flush();
    expect((await fs.stat(path)).mode & 0o777).toBe(0o600);
    const again = await IntentStore.open(path);
    expect(again.get("a")).toEqual({ requested_state: "start", rows: 50, cols: 132 });
    expect(again.get("__proto__")).toEqual({ requested_state: "start" });
    expect(again.get("constructor")).toEqual({ requested_state: "stop" });
    expect(again.get("toString")).toEqual({});
    expect(await fs.readdir(join(folder, "state"))).toEqual(["intent.json"]);
  });

  it("of one turn is written once, one write at a time, and not again without a change", async () => {
    const store = await open();
    await store.nextEpoch();
    await store.flush();
    const writes = () => files.steps.filter((step) => step === "append intent.journal").length;
    // Its header.
    expect(writes()).toBe(1);
    const first = Array.from({ length: 50 }, (_, n) => {
      store.set(`p${n}`, { requested_state: "start" });
      return store.flush();
    });
    store.set("late", { requested_state: "stop" }); // After the last flush of the turn, and still part of its write.
    await Promise.all(first);
    expect(writes()).toBe(2);
    expect([...(await IntentStore.open(path)).names()]).toHaveLength(51);
    await store.flush();
    expect(writes()).toBe(2);

    store.set("p0", { requested_state: "stop" });
    const running = store.flush();
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    store.set("p1", { requested_state: "stop" });
    store.set("p2", { requested_state: "stop" });
    await Promise.all([running, store.flush(), store.flush()]);
    expect(writes()).toBe(4);
    expect(files.mostWrites).toBe(1);
    expect((await IntentStore.open(path)).get("p2")).toEqual({ requested_state: "stop" });
  });

  it("survives kill -9 of a writing manager at any moment", async () => {
    const writer = await bundled("test/fixtures/intent-writer.ts");
    let epoch = 0;
    for (const delay of [0, 3, 11]) {
      const child = spawn(process.execPath, [writer, path], { stdio: ["ignore", "pipe", "inherit"] });
      const exited = once(child, "exit");
      const [line] = await once(child.stdout, "data");
      expect(Number(line)).toBeGreaterThan(epoch);
      epoch = Number(line);
      // Not a wait for something: the moment of the kill has to differ.
      await new Promise((resolve) => setTimeout(resolve, delay));
      child.kill("SIGKILL");
      await exited;
      const store = await open();
      expect(store.warning).toBeNull();
      expect(store.get("b")).toEqual(store.get("a"));
    }
  });
});

it("a start is dropped with its process, also over a restart; a stop and settings are kept", async () => {
  const store = await open();
  store.set("a", { requested_state: "start", rows: 5, cols: 6 });
  store.set("b", { requested_state: "stop" });
  await store.flush();
  for (const name of ["a", "b", "unknown"]) store.forgetStart(name);
  await store.flush();
  const next = await IntentStore.open(path);
  expect([...next.names()].map((name) => [name, next.get(name)])).toEqual([
    ["a", { rows: 5, cols: 6 }],
    ["b", { requested_state: "stop" }],
  ]);
});

describe("the epoch", () => {
  it("grows with each boot, also when the clock is set back, and is on the disk before it is used", async () => {
    const at = (milliseconds: number) => ({ now: () => milliseconds + 0.9 });
    const first = await (await open(at(5_000))).nextEpoch();
    expect(first).toBe(5_000);
    expect((await readJson()).epoch).toBe(5_000);
    expect(await (await open(at(4_000))).nextEpoch()).toBe(5_001);
    expect(await (await open(at(5_001))).nextEpoch()).toBe(5_002);
    expect(await (await open(at(6_000))).nextEpoch()).toBe(6_000);
    // The file is lost, and the next manager starts in the same second.
    await fs.rm(join(folder, "state"), { recursive: true });
    expect(await (await open(at(6_100))).nextEpoch()).toBe(6_100);
  });

  it("is not given out when it cannot be written", async () => {
    const store = await open();
    files.stop("fail");
    await expect(store.nextEpoch()).rejects.toThrow("ENOSPC");
  });
});

it("the last log id is part of the next write", async () => {
  const store = await open();
  expect(store.lastLogId).toBe(0);
  store.rememberLogId(1_795_000_000_000_123);
  await store.flush();
  expect((await IntentStore.open(path)).lastLogId).toBe(1_795_000_000_000_123);
});

describe("an intent file", () => {
  const write = async (content: string | Uint8Array) => {
    await fs.mkdir(join(folder, "state"), { recursive: true });
    await fs.writeFile(path, content);
  };
  const whole = { version: 1, epoch: 7, last_log_id: 9, processes: {} };

  it("keeps the fields that only newer versions know", async () => {
    await write(
      JSON.stringify({ ...whole, loggers: { l: 1 }, processes: { a: { requested_state: "start", overrides: { default: "x" } } } }),
    );
    const store = await open();
    store.set("a", { requested_state: "stop" });
    await store.flush();
    expect(await readJson()).toEqual({
      ...whole,
      version: 2,
      journal: expect.any(String),
      loggers: { l: 1 },
      processes: { a: { requested_state: "stop", overrides: { default: "x" } } },
    });
  });

  it.each([
    ["empty", ""],
    ["cut off", JSON.stringify(whole).slice(0, -5)],
    ["zeros after a power cut", new Uint8Array(100)],
    ["not UTF-8", Buffer.concat([Buffer.from(JSON.stringify(whole)), Buffer.from([0xff])])],
    ["a list", "[]"],
    ["without an epoch", JSON.stringify({ ...whole, epoch: undefined })],
    ["with a state that does not exist", JSON.stringify({ ...whole, processes: { a: { requested_state: "run" } } })],
    ["with a list of processes", JSON.stringify({ ...whole, processes: [] })],
  ])("that is %s is set aside under a free name, with a sentence for the log", async (_what, content) => {
    await write(content);
    await fs.writeFile(`${path}.damaged-1`, "an earlier one");
    const store = await open();
    expect(store.warning).toMatch(/was damaged \(.+\); it was renamed to .*intent\.json\.damaged-2/);
    expect(store.warning).not.toContain("\n");
    expect(await fs.readFile(`${path}.damaged-2`)).toEqual(Buffer.from(content));
    expect(await fs.readFile(`${path}.damaged-1`, "utf8")).toBe("an earlier one");
    expect(await store.nextEpoch()).toBeGreaterThan(7);
    expect((await IntentStore.open(path)).warning).toBeNull();
  });

  it("of a newer version, or one that cannot be read, is left alone and refused", async () => {
    await write(JSON.stringify({ ...whole, version: 3 }));
    await expect(IntentStore.open(path)).rejects.toThrow("was written by a newer mgr (file version 3)");
    expect((await readJson()).version).toBe(3);
    await fs.rm(path);
    await fs.mkdir(path);
    await expect(IntentStore.open(path)).rejects.toThrow(`${path} is a folder (owner `);
  });

  it("that is a named pipe is refused without waiting for a writer", async () => {
    await fs.mkdir(join(folder, "state"));
    execFileSync("mkfifo", [path]);
    await expect(IntentStore.open(path)).rejects.toThrow(/ is a named pipe \(owner .*\), not a regular file\. Remove it: rm /);
  });

  it("that a crash left half-written is never written through, not even as a symbolic link", async () => {
    await write(JSON.stringify(whole));
    await fs.writeFile(join(folder, "victim"), "untouched");
    await fs.symlink(join(folder, "victim"), join(folder, "state", ".intent.json.new"));
    const store = await open();
    store.set("a", { requested_state: "start" });
    await store.flush();
    expect(await fs.readFile(join(folder, "victim"), "utf8")).toBe("untouched");
    expect((await readJson()).processes.a).toEqual({ requested_state: "start" });
  });
});
