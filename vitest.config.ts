import { defineConfig } from "vitest/config";

// `unit` and `unit-…` run from the sources; `e2e` runs the built program (dist/) as a user does.
const shared = {
  environment: "node" as const,
  pool: "forks" as const,
  // xstate drops events to stopped actors silently unless it is loaded in development mode.
  execArgv: ["-C", "development"],
  // Only what hangs fails by time: machines that run the suite beside other work are several times slower, and each command of the program
  // takes seconds there.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  // CI machines are shared. scripts/checks/second-tries.js prints what passed only at its second try.
  retry: process.env.CI ? 1 : 0,
  expect: { poll: { timeout: 60_000 } },
  setupFiles: ["test/support/setup.ts"],
};

/** Files of the folders below that stay in `unit`: they start processes, wait for real time, try thousands of cases, load modules anew, or examine V8 itself. */
const APART =
  "command-line|connections-leak|flood|fnmatch|frames-fuzz|includes|intent|intent-crashes|intent-journal|load|many-processes|process-handle|process-shapes|rotated-file";
const FAST = [
  `test/{actors,base,client,config,contract,log,protocol,testing,transport,web}/**/!(${APART}).test.ts`,
  `test/features/*/{web,x11}/**/!(${APART}).test.ts`,
  `test/features/*/!(${APART}).test.ts`,
];
/** Files of these folders that stay in `unit`: they start processes, replace timers while those of files before may still run, or examine their own process. */
const ALONE = "archive|auth-file|door|formats|fuzz|listener|nats-transport|octave|rates|state-folder|stream-ends|window-manager";
/** Of test/app those folders that test with scripted hosts. */
const SCRIPTED = "configuration,effects,hosts,output,state";
const SHARED = [
  `test/{app/{${SCRIPTED}},bus,cli,http}/**/!(${ALONE}).test.ts`,
  `test/features/*/{cli,manager,samples}/**/!(${ALONE}).test.ts`,
];

/** Tests of hosts and of processes that run; those that load modules anew stay in `unit`. */
const HOST = ["test/{daemon,app/processes}/**/!(run-tag).test.ts", "test/features/*/host/**/*.test.ts"];

/** They measure their own process (its memory, descriptors, timers, listeners), load modules anew, or failed once beside other files. */
const MEASURED = [
  "test/app/{embedded/*,hard-cases}.test.ts",
  "test/app/local-daemon/daemon-keeper.test.ts",
  "test/daemon/tree/run-tag.test.ts",
  "test/http/{archive,fuzz,listener}.test.ts",
  "test/launch/*.test.ts",
  "test/transport/load/{connections-leak,flood}.test.ts",
  "test/web/state/many-processes.test.ts",
  "test/features/*/manager/archive.test.ts",
  "test/features/*/samples/formats/formats.test.ts",
];
/** What is not in the project `unit`. */
const ELSEWHERE = ["test/e2e/**", ...MEASURED, ...SHARED, ...FAST, ...HOST];

export default defineConfig({
  // Node 20 does not know `await using`; it has to be compiled away.
  oxc: { target: "es2023" },
  ssr: { resolve: { conditions: ["development", "node", "import", "default"] } },
  test: {
    // Many tests wait most of the time; with three workers, two processors are idle for a quarter of it.
    maxWorkers: 4,
    // Each project transforms what its tests import. With the cache a file is transformed once for all of them, and not at all while it stays the same
    // (docs/decisions/0131).
    experimental: { fsModuleCache: true, fsModuleCachePath: ".cache/vitest" },
    projects: [
      { extends: true, test: { ...shared, name: "unit-measured", include: MEASURED } },
      { extends: true, test: { ...shared, name: "unit", include: ["test/**/*.test.ts"], exclude: ELSEWHERE, isolate: false } },
      { extends: true, test: { ...shared, name: "unit-host", include: HOST, isolate: false } },
      // Files share the modules of a worker: loading them for each file takes more time than the tests.
      // Not those of `unit-fast` with these, whose timers may still run when a file has ended: some of `unit-fast` count timers.
      { extends: true, test: { ...shared, name: "unit-shared", include: SHARED, isolate: false } },
      { extends: true, test: { ...shared, name: "unit-fast", include: FAST, isolate: false } },
      // What they test are other processes; modules of the tests themselves are shared as above.
      { extends: true, test: { ...shared, name: "e2e", include: ["test/e2e/**/*.test.ts"], isolate: false } },
    ],
  },
});
