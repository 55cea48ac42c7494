import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ProcessSettingsBook } from "../../../src/app/processes/process-settings.ts";
import { RetryingIntentStore } from "../../../src/app/state/retrying-intent-store.ts";
import { loadConfigObject } from "../../../src/config/load/load.ts";
import { IntentStore } from "../../../src/config/state/intent-store.ts";
import { NO_SETTINGS } from "../../../src/config/state/process-settings.ts";
import { LogBook } from "../../../src/log/log-book.ts";
import { testClock } from "../../actors/support/clock.ts";
import { StoppableFiles } from "../../support/fakes/stoppable-files.ts";

const CONFIG = loadConfigObject(
  { processes: { "sim/world": { command: "./world", alternate_commands: { debug: "./debug" } } } },
  { base_dir: "/", state_dir: "/nowhere" },
);
let folder: string;
let log: LogBook;
const path = () => join(folder, "intent.json");
let files: StoppableFiles;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-settings-"));
  files = new StoppableFiles();
  log = new LogBook({ capacity: 100, now: () => 0 });
});
afterEach(async () => {
  await files[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** A manager that begins: all it knows of settings is what the file says. */
async function open() {
  const keeper = await IntentStore.open(path(), { fileSystem: files.fileSystem });
  const applied: string[] = [];
  const book = new ProcessSettingsBook({ config: () => CONFIG, keeper, log, check: () => {}, apply: (name) => applied.push(name) });
  return { keeper, book, applied };
}

test("a setting is on disk when it is acknowledged: it survives a manager that is killed at any later moment", async () => {
  const { book, applied } = await open();
  await book.selectCommand("sim/world", "debug", "ada");
  await book.overrideCommand("sim/world", "debug", "./debug --more 'a b'", "ada");
  await book.setAttribute("sim/world", "svc_debug", true, "ada");
  await book.setAttribute("sim/world", "start_tool", "none", "ada");
  await book.setFlag("sim/world", "no_skip_display", true, "ada");
  expect(applied).toHaveLength(5);
  const { book: next } = await open();
  expect(next.of("sim/world")).toEqual({
    which: "debug",
    overrides: [["debug", "./debug --more 'a b'"]],
    start_tool: "none",
    svc_debug: true,
    low_delay_output: false,
    no_skip_display: true,
  });
});

test("a setting that is cleared by null or '' is not in the file after an orderly end", async () => {
  const { book, keeper } = await open();
  await book.overrideCommand("sim/world", "default", "./x", "ada");
  await book.overrideCommand("sim/world", "debug", "./y", "ada");
  await book.overrideCommand("sim/world", "default", null, "ada");
  await book.overrideCommand("sim/world", "debug", "", "ada");
  keeper.endJournal();
  await keeper.flush();
  const { book: next } = await open();
  expect(next.of("sim/world")).toEqual(NO_SETTINGS);
  expect(readFileSync(path(), "utf8")).not.toContain("./x");
});

test("each change is in the log, with user and value", async () => {
  const { book } = await open();
  await book.overrideCommand("sim/world", "default", "./x", "ada");
  await book.setAttribute("sim/world", "svc_debug", true, "ada");
  expect(log.entries().map(({ msg }) => msg)).toEqual([
    `'ada' overrides by "./x" the command 'default' of process 'sim/world'`,
    "'ada' sets svc_debug of process 'sim/world' to true",
  ]);
});

test("a full disk prevents no change: the log reports it, and the change is in effect until the manager ends", async () => {
  const { keeper, applied } = await open();
  const full = {
    get: keeper.get.bind(keeper),
    set: keeper.set.bind(keeper),
    names: keeper.names.bind(keeper),
    forgetStart: keeper.forgetStart.bind(keeper),
    flush: () => Promise.reject(new Error("no space left")),
  };
  const patient = new RetryingIntentStore(full, { clock: testClock(), log });
  const book = new ProcessSettingsBook({
    config: () => CONFIG,
    keeper: patient,
    log,
    check: () => {},
    apply: (name) => applied.push(name),
  });
  await book.setFlag("sim/world", "low_delay_output", true, "ada");
  expect(book.of("sim/world").low_delay_output).toBe(true);
  expect(log.entries({ level: "error" })[0]?.msg).toContain("no space left");
});

test("a file of an older manager has no settings; a file whose override is not a command is set aside", async () => {
  writeFileSync(path(), JSON.stringify({ version: 1, epoch: 1, last_log_id: 0, processes: { "sim/world": { requested_state: "start" } } }));
  const { book } = await open();
  expect(book.of("sim/world")).toEqual(NO_SETTINGS);
  const damaged = { settings: { overrides: [["default", "'unclosed"]] } };
  writeFileSync(path(), JSON.stringify({ version: 1, epoch: 1, last_log_id: 0, processes: { "sim/world": damaged } }));
  const { keeper } = await open();
  expect(keeper.warning).toContain("is not a command");
  expect(readdirSync(folder)).toContain("intent.json.damaged-1");
});
