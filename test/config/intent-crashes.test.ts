import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { IntentStore } from "../../src/config/state/intent-store.ts";
import type { ProcessIntent } from "../../src/config/state/process-intent.ts";
import { anyText } from "../support/any-text.ts";
import { StoppableFiles } from "../support/fakes/stoppable-files.ts";
import { NO_INTERRUPT_MS, timedRuns } from "../support/timed-runs.ts";

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await fs.mkdtemp(join(tmpdir(), "mgr-crash-"));
  path = join(folder, "intent.json");
});
afterEach(() => fs.rm(folder, { recursive: true, force: true }));

/** Of such an intent three lines fill a journal. */
const LONG = "x".repeat(300);
const REQUESTS = 5;

interface Saved {
  epoch: number;
  rows: number;
}

/** A boot, some requests, of which one fills the journal, and an orderly end. `saved` grows with each save. */
async function live(store: IntentStore, saved: Saved): Promise<void> {
  saved.epoch = await store.nextEpoch();
  for (let rows = 1; rows <= REQUESTS; rows++) {
    for (const name of ["a", "b"]) store.set(name, { rows, web_starter: LONG });
    await store.flush();
    saved.rows = rows;
  }
  store.endJournal();
  await store.flush();
}

/** What the next manager finds. */
async function found(): Promise<Saved> {
  const store = await IntentStore.open(path);
  expect(store.warning).toBeNull();
  expect(store.get("b")).toEqual(store.get("a"));
  return { epoch: store.epoch, rows: store.get("a").rows ?? 0 };
}

it("a save is one write; snapshots and journals are on the disk before they are used", async () => {
  await using files = new StoppableFiles();
  const store = await IntentStore.open(path, { fileSystem: files.fileSystem, minFullJournalBytes: 0 });
  await live(store, { epoch: 0, rows: 0 });
  const folderName = folder.split("/").at(-1);
  const inPlace = (name: string) => [`rename ${name}`, `open ${folderName}`, `sync ${folderName}`];
  const snapshot = ["open intent.json", "write intent.json", "sync intent.json", ...inPlace("intent.json")];
  // Opened so that each write is on the disk when it returns.
  const journal = ["open intent.journal", "append intent.journal", ...inPlace("intent.journal")];
  const save = "append intent.journal";
  const boot = [...snapshot, ...journal];
  expect(files.steps).toEqual([...boot, save, ...boot, save, save, save, ...boot, save, ...snapshot, "remove intent.journal"]);
});

it.each([0, 0.5, 1])(
  "a crash at any step loses nothing that was saved, and brings nothing back; %d of the last write is there",
  async (torn) => {
    let isOver = false;
    for (let at = 1; !isOver; at++) {
      const before = await found();
      await using files = new StoppableFiles({ at, how: "crash", torn });
      const store = await IntentStore.open(path, { fileSystem: files.fileSystem, minFullJournalBytes: 0 });
      const saved = before;
      isOver = await Promise.race([live(store, saved).then(() => true), files.crashed.then(() => false)]);
      const { epoch, rows } = await found();
      expect(epoch, `after step ${at}`).toBeGreaterThanOrEqual(saved.epoch);
      // The request of the crash may be there.
      expect([saved.rows, (saved.rows % REQUESTS) + 1], `after step ${at}: ${files.steps[at - 1]}`).toContain(rows);
      expect(isOver).toBe(files.steps.length < at);
    }
    expect(await fs.readdir(folder)).toEqual(["intent.json"]);
  },
);

it("a failure at any step is reported unless the save is on the disk, and the next save has everything", async () => {
  for (let at = 1, steps = at; at <= steps; at++) {
    await using files = new StoppableFiles({ at, how: "fail", torn: 0.5 });
    const store = await IntentStore.open(path, { fileSystem: files.fileSystem, minFullJournalBytes: 0 });
    const before = await found();
    let { rows } = before;
    for (let n = 0; n < REQUESTS; n++) {
      for (const name of ["a", "b"]) store.set(name, { rows: (rows % 1_000) + 1, web_starter: LONG });
      const error = await store.flush().then(
        () => null,
        (cause: Error) => cause.message,
      );
      if (error === null) rows = (rows % 1_000) + 1;
      else expect(error).toBe(`cannot save the requested states to ${path}: ENOSPC: no space left on device`);
      expect([rows, (rows % 1_000) + 1]).toContain((await found()).rows);
    }
    steps = files.steps.length;
    files.stop(null);
    store.set("a", { rows: 1_001 });
    store.set("b", { rows: 1_001 });
    await store.flush();
    expect((await found()).rows).toBe(1_001);
    store.endJournal();
    await store.flush();
    expect((await fs.readdir(folder)).sort()).toEqual(["intent.json"]);
    await fs.rm(path);
  }
});

const name = fc.constantFrom("a", "b", "__proto__", "constructor");
const patch: fc.Arbitrary<ProcessIntent> = fc.oneof(
  fc.record({ requested_state: fc.constantFrom("start", "stop") }),
  fc.record({ rows: fc.integer({ min: 1, max: 9 }), cols: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ web_starter: anyText({ maxLength: 200 }) }),
);
const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("set" as const), name, patch }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("forget" as const), name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("flush", "begin flush", "rewrite", "fail", "recover", "end journal") }) },
);
type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;
const life = fc.record({
  actions: fc.array(action, { maxLength: 25 }),
  crashAt: fc.integer({ min: 1, max: 60 }),
  torn: fc.constantFrom(0, 0.1, 0.5, 0.99, 1),
  /** What a crash has left at the end of the journal: a part of a line. Zeros would be damage, which is reported. */
  tail: fc.uint8Array({ maxLength: 5 }).map((bytes) => bytes.filter((byte) => byte !== 10 && byte !== 0)),
});

/** Everything that is kept, for comparisons. */
const stateOf = (store: IntentStore) =>
  JSON.stringify(Array.from(store.names(), (each) => [each, ...Object.entries(store.get(each)).sort()]).sort());

/** The states since the last one that was saved. A crash may leave any of them. */
class Expected {
  #states: string[];

  constructor(state: string) {
    this.#states = [state];
  }

  add(state: string): number {
    return this.#states.push(state) - 1;
  }

  /** The state of this index was saved: earlier ones are out of date. */
  saved(index: number): void {
    this.#states.fill("", 0, index);
  }

  get newest(): number {
    return this.#states.length - 1;
  }

  includes(state: string): boolean {
    return this.#states.includes(state);
  }
}

async function play(store: IntentStore, { actions, files, expected }: { actions: Action[]; files: StoppableFiles; expected: Expected }) {
  const flush = async (write: () => Promise<void>) => {
    const index = expected.newest;
    await write().then(
      () => expected.saved(index),
      () => {},
    );
  };
  const pending: Promise<void>[] = [];
  for (const each of actions) {
    if (each.kind === "set") store.set(each.name, each.patch);
    else if (each.kind === "forget") store.forgetStart(each.name);
    else if (each.kind === "flush") await flush(() => store.flush());
    else if (each.kind === "begin flush") pending.push(flush(() => store.flush()));
    else if (each.kind === "rewrite") pending.push(flush(() => store.rewrite()));
    else if (each.kind === "end journal") store.endJournal();
    else files.stop(each.kind === "fail" ? "fail" : null);
    expected.add(stateOf(store));
  }
  await Promise.all(pending);
}

it("whatever is changed, saved, refused and torn by crashes, what was saved is found again, and nothing older", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(life, { minLength: 1, maxLength: 4 }),
      timedRuns(8_000, async (lives) => {
        await fs.rm(folder, { recursive: true });
        let state = "[]";
        for (const { actions, crashAt, torn, tail } of lives) {
          await using files = new StoppableFiles({ at: crashAt, how: "crash", torn });
          const store = await IntentStore.open(path, { fileSystem: files.fileSystem, minFullJournalBytes: 0 });
          expect(store.warning).toBeNull();
          expect(stateOf(store)).toBe(state);
          const expected = new Expected(state);
          await Promise.race([play(store, { actions, files, expected }), files.crashed]);
          // Without a crash, it is killed at its end.
          files.stop("crash");
          await files.settled();
          if ((await fs.readdir(folder)).includes("intent.journal")) await fs.appendFile(join(folder, "intent.journal"), tail);
          state = stateOf(await IntentStore.open(path));
          expect(expected.includes(state)).toBe(true);
        }
      }),
    ),
    { numRuns: 300, interruptAfterTimeLimit: NO_INTERRUPT_MS },
  );
});
