import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileSystem } from "../../src/config/state/atomic-file.ts";
import { IntentStore } from "../../src/config/state/intent.ts";
import { bundled } from "../support/bundled.ts";

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await fs.mkdtemp(join(tmpdir(), "mgr-intent-"));
  path = join(folder, "state", "intent.json");
});
afterEach(() => fs.rm(folder, { recursive: true, force: true }));

const readJson = async () => JSON.parse(await fs.readFile(path, "utf8"));

/** The real file system, counting renames; `failAt` is the step (open, write, sync, rename …) that fails, and all after it. */
function faulty(failAt = Number.POSITIVE_INFINITY) {
  const log = { steps: 0, renames: 0, inFlight: 0, mostInFlight: 0, failAt };
  const step = async <T>(action: () => Promise<T>): Promise<T> => {
    if (++log.steps >= log.failAt) throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
    return await action();
  };
  const fileSystem: FileSystem = {
    rm: (...args) => step(() => fs.rm(...args)),
    rename: async (from, to) => {
      log.mostInFlight = Math.max(log.mostInFlight, ++log.inFlight);
      try {
        await step(() => fs.rename(from, to));
        log.renames++;
      } finally {
        log.inFlight--;
      }
    },
    open: async (...args) => {
      const handle = await step(() => fs.open(...args));
      const { writeFile, sync } = handle;
      handle.writeFile = async (data, options) => {
        // A crash in the middle of a write leaves a part of it.
        if (log.steps + 1 >= log.failAt) await writeFile.call(handle, String(data).slice(0, 20));
        await step(() => writeFile.call(handle, data, options));
      };
      handle.sync = () => step(() => sync.call(handle));
      return handle;
    },
  };
  return { log, fileSystem };
}

describe("intent", () => {
  it("is found again by the next store, names like __proto__ included, in a file that only its owner may read", async () => {
    const store = await IntentStore.open(path);
    expect(store.warning).toBeNull();
    expect(store.get("a")).toEqual({});
    for (const name of ["a", "__proto__", "constructor"]) store.set(name, { requested_state: "start" });
    store.set("a", { rows: 50, cols: 132 });
    store.set("constructor", { requested_state: "stop" });
    await store.flush();
    expect((await fs.stat(path)).mode & 0o777).toBe(0o600);
    const again = await IntentStore.open(path);
    expect(again.get("a")).toEqual({ requested_state: "start", rows: 50, cols: 132 });
    expect(again.get("__proto__")).toEqual({ requested_state: "start" });
    expect(again.get("constructor")).toEqual({ requested_state: "stop" });
    expect(again.get("toString")).toEqual({});
    expect(await fs.readdir(join(folder, "state"))).toEqual(["intent.json"]);
  });

  it("of one turn is written once, one write at a time, and never twice without a change", async () => {
    const { log, fileSystem } = faulty();
    const store = await IntentStore.open(path, { fileSystem });
    const first = Array.from({ length: 50 }, (_, n) => {
      store.set(`p${n}`, { requested_state: "start" });
      return store.flush();
    });
    store.set("late", { requested_state: "stop" }); // After the last flush of the turn, and still part of its write.
    await Promise.all(first);
    expect(log.renames).toBe(1);
    expect(Object.keys((await readJson()).processes)).toHaveLength(51);
    const second = store.flush();
    await second;
    expect(log.renames).toBe(1);

    store.set("p0", { requested_state: "stop" });
    const running = store.flush();
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    store.set("p1", { requested_state: "stop" });
    store.set("p2", { requested_state: "stop" });
    await Promise.all([running, store.flush(), store.flush()]);
    expect(log.renames).toBe(3);
    expect(log.mostInFlight).toBe(1);
    expect((await readJson()).processes.p2).toEqual({ requested_state: "stop" });
  });

  it("that could not be written is reported, and written by the next flush", async () => {
    const { log, fileSystem } = faulty();
    const store = await IntentStore.open(path, { fileSystem });
    store.set("a", { requested_state: "start" });
    log.failAt = log.steps + 3;
    await expect(store.flush()).rejects.toThrow(`cannot save the requested states to ${path}: ENOSPC`);
    log.failAt = Number.POSITIVE_INFINITY;
    await store.flush();
    expect((await IntentStore.open(path)).get("a")).toEqual({ requested_state: "start" });
  });

  it("is the old or the new one, whole, when a write fails at any step", async () => {
    const store = await IntentStore.open(path);
    for (const name of ["a", "b"]) store.set(name, { rows: 1 });
    await store.flush();
    const seen = new Set<number>();
    let finished = false;
    for (let failAt = 1; !finished; failAt++) {
      const { log, fileSystem } = faulty(failAt);
      const broken = await IntentStore.open(path, { fileSystem });
      const old = broken.get("a").rows ?? 0;
      for (const name of ["a", "b"]) broken.set(name, { rows: old + 1 });
      finished = await broken.flush().then(
        () => true,
        () => false,
      );
      expect(finished).toBe(log.steps < failAt);
      const after = await IntentStore.open(path);
      expect(after.warning).toBeNull();
      expect([old, old + 1]).toContain(after.get("a").rows);
      expect(after.get("b")).toEqual(after.get("a"));
      seen.add((after.get("a").rows ?? 0) - old);
      expect(failAt).toBeLessThan(20);
    }
    expect(seen).toEqual(new Set([0, 1]));
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
      const store = await IntentStore.open(path);
      expect(store.warning).toBeNull();
      expect(store.get("b")).toEqual(store.get("a"));
    }
  });
});

it("a start is forgotten with its process, over a restart too; a stop is not, nor what was chosen", async () => {
  const store = await IntentStore.open(path);
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
    const at = (seconds: number) => ({ now: () => seconds * 1_000 + 999 });
    const first = await (await IntentStore.open(path, at(5_000))).nextEpoch();
    expect(first).toBe(5_000);
    expect((await readJson()).epoch).toBe(5_000);
    expect(await (await IntentStore.open(path, at(4_000))).nextEpoch()).toBe(5_001);
    expect(await (await IntentStore.open(path, at(5_001))).nextEpoch()).toBe(5_002);
    expect(await (await IntentStore.open(path, at(6_000))).nextEpoch()).toBe(6_000);
  });

  it("is not given out when it cannot be written", async () => {
    const store = await IntentStore.open(path, { fileSystem: faulty(1).fileSystem });
    await expect(store.nextEpoch()).rejects.toThrow("ENOSPC");
  });
});

it("the last log id goes along with the next write", async () => {
  const store = await IntentStore.open(path);
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
    const store = await IntentStore.open(path);
    store.set("a", { requested_state: "stop" });
    await store.flush();
    expect(await readJson()).toEqual({
      ...whole,
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
    const store = await IntentStore.open(path);
    expect(store.warning).toMatch(/was damaged \(.+\); it was renamed to .*intent\.json\.damaged-2/);
    expect(store.warning).not.toContain("\n");
    expect(await fs.readFile(`${path}.damaged-2`)).toEqual(Buffer.from(content));
    expect(await fs.readFile(`${path}.damaged-1`, "utf8")).toBe("an earlier one");
    expect(await store.nextEpoch()).toBeGreaterThan(7);
    expect((await IntentStore.open(path)).warning).toBeNull();
  });

  it("of a newer version, or one that cannot be read, is left alone and refused", async () => {
    await write(JSON.stringify({ ...whole, version: 2 }));
    await expect(IntentStore.open(path)).rejects.toThrow("was written by a newer mgr (file version 2)");
    expect((await readJson()).version).toBe(2);
    await fs.rm(path);
    await fs.mkdir(path);
    await expect(IntentStore.open(path)).rejects.toThrow("cannot be read: it is not a regular file");
  });

  it("that is a named pipe is refused without waiting for a writer", async () => {
    await fs.mkdir(join(folder, "state"));
    execFileSync("mkfifo", [path]);
    await expect(IntentStore.open(path)).rejects.toThrow("it is not a regular file; fix or delete it");
  });

  it("that a crash left half-written is never written through, not even as a symbolic link", async () => {
    await write(JSON.stringify(whole));
    await fs.writeFile(join(folder, "victim"), "untouched");
    await fs.symlink(join(folder, "victim"), join(folder, "state", ".intent.json.new"));
    const store = await IntentStore.open(path);
    store.set("a", { requested_state: "start" });
    await store.flush();
    expect(await fs.readFile(join(folder, "victim"), "utf8")).toBe("untouched");
    expect((await readJson()).processes.a).toEqual({ requested_state: "start" });
  });
});
