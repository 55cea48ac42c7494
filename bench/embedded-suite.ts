// Milliseconds for 50 tests at once, each with an embedded manager of its own and three real processes that it starts in
// order, waits for and leaves. Peer: node-pty spawn of the same 150 processes. `npx tsx bench/embedded-suite.ts`
import { readdirSync } from "node:fs";
import * as pty from "node-pty";
import { builtLibrary } from "./support/built.ts";
import { printFigure } from "./support/figure.ts";

const TESTS = 50;
const SECONDS = `98765.${process.pid}`;
const PROGRAMS = [
  ["/bin/sh", "-c", `echo open; exec sleep ${SECONDS}`],
  ["sleep", SECONDS],
  ["sleep", SECONDS],
] as const;

const { mgr } = await builtLibrary();

async function test(): Promise<void> {
  const [db, api, web] = PROGRAMS;
  const manager = await mgr.createManager({
    processes: {
      db: { command: [...db], ready: { regex: "open" } },
      api: { command: [...api], depends_on: { db: { condition: "ready" } } },
      web: { command: [...web], depends_on: ["api"] },
    },
  });
  try {
    await manager.process("web").start();
    await manager.process("db").waitForOutput(/open/);
  } finally {
    await manager.close();
  }
}

/** The same 150 programs without anybody who looks after them: started, the first heard, all ended. */
async function bareTest(): Promise<void> {
  const children = PROGRAMS.map(([program, ...args]) => pty.spawn(program, args, {}));
  const ends = children.map((child) => new Promise<void>((resolve) => child.onExit(() => resolve())));
  await new Promise<void>((resolve) => children[0]?.onData((text) => text.includes("open") && resolve()));
  for (const child of children) child.kill("SIGKILL");
  await Promise.all(ends);
}

async function time(work: () => Promise<void>): Promise<number> {
  const begin = performance.now();
  await Promise.all(Array.from({ length: TESTS }, work));
  return Math.round(performance.now() - begin);
}

const openFiles = () => readdirSync("/proc/self/fd").length;

await test();
await bareTest();
const filesBefore = openFiles();
const ours = await time(test);
const filesLeft = openFiles() - filesBefore;
const theirs = await time(bareTest);
printFigure({
  figure: "embedded-suite",
  unit: `ms for ${TESTS} tests in parallel, each with its own embedded manager and 3 real processes`,
  value: ours,
  files_left: filesLeft,
  peer: "node-pty spawn of the same 150 processes",
  peer_value: theirs,
});
