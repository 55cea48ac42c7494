import { mkdtemp, readdir, rm } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decodeWaitStatus } from "../../../src/daemon/native/wait-status.ts";
import { Terminal } from "../../../src/daemon/output/terminal.ts";
import { HostRig, spec } from "../support/hosts.ts";

/** How often each way to end is tried with a terminal alone, which is what knows it. */
const ROUNDS = Number(process.env.MGR_EXIT_ROUNDS ?? 1);
/** Runs at the same time. */
const SLOTS = 16;

/** Signals that end a program which does nothing about them, with the names that are expected. */
const DEADLY: readonly (readonly [number, string])[] = [
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 24, 25, 26, 27, 29, 30, 31].map((number) => [number, nameOf(number)] as const),
  ...Array.from({ length: 16 }, (_, n) => [34 + n, n === 0 ? "SIGRTMIN" : `SIGRTMIN+${n}`] as const),
  ...Array.from({ length: 15 }, (_, n) => [50 + n, n === 14 ? "SIGRTMAX" : `SIGRTMAX-${14 - n}`] as const),
];

function nameOf(number: number): string {
  return Object.entries(constants.signals).find(([, each]) => each === number)?.[0] ?? "";
}

interface Way {
  line: string;
  exit: Exit;
}
interface Exit {
  code: number | null;
  signal: string | null;
}

const WAYS: readonly Way[] = [
  ...Array.from({ length: 256 }, (_, code) => ({ line: `exit ${code}`, exit: { code, signal: null } })),
  ...DEADLY.map(([number, signal]) => ({ line: `kill -${number} $$`, exit: { code: null, signal } })),
];

/** `run` ends each line, under one of SLOTS names at a time. */
async function expectAll(ways: readonly Way[], run: (name: string, line: string) => Promise<Exit>): Promise<void> {
  const wrong: string[] = [];
  const left = [...ways];
  const slot = async (name: string) => {
    for (let way = left.pop(); way; way = left.pop()) {
      const exit = await run(name, way.line);
      if (JSON.stringify(exit) !== JSON.stringify(way.exit)) wrong.push(`${way.line}: ${JSON.stringify(exit)}`);
    }
  };
  await Promise.all(Array.from({ length: SLOTS }, (_, n) => slot(`p${n}`)));
  expect(wrong).toEqual([]);
}

describe("how a run ended", () => {
  it("is reported correctly for every exit code and every signal", async () => {
    await using rig = await HostRig.open();
    await expectAll(WAYS, async (name, line) => {
      const run = await rig.spawn(spec(name, line));
      const { exit } = (await rig.event(run, "extinct")).run;
      return { code: exit?.code ?? null, signal: exit?.signal ?? null };
    });
  });

  it(`is reported correctly by terminals, ${ROUNDS} times each`, { timeout: 120_000 * ROUNDS }, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await expectAll(
        WAYS,
        (_name, line) =>
          new Promise((resolve, reject) => {
            const terminal = Terminal.start({
              argv: ["/bin/sh", "-c", line],
              cwd: "/",
              environment: {},
              rows: 24,
              cols: 80,
              onData: () => {},
              onExit: ({ code, signal }) =>
                void terminal.then((each) => {
                  each.close();
                  resolve({ code, signal });
                }, reject),
            });
            terminal.catch(reject);
          }),
      );
    }
  });

  it("is the signal's name also where a core dump is left, which the log reports", async () => {
    const folder = await mkdtemp(join(tmpdir(), "mgr-core-"));
    try {
      await using rig = await HostRig.open();
      const limits = { core: { soft: 1_000_000, hard: 1_000_000 } };
      const run = await rig.spawn(spec("p", "kill -SEGV $$", { cwd: folder, limits }));
      expect((await rig.event(run, "extinct")).run.exit).toEqual({ code: null, signal: "SIGSEGV", reason: null });
      // The kernel writes it where /proc/sys/kernel/core_pattern says: here, elsewhere, or to a program.
      const isHere = (await readdir(folder)).some((name) => name.startsWith("core"));
      const said = rig.log.some(({ msg }) => msg.includes("was ended by SIGSEGV and left a core dump"));
      expect(said || !isHere).toBe(true);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("is decoded from the kernel's status, with and without the core flag", () => {
    for (let code = 0; code < 256; code++) expect(decodeWaitStatus(code << 8)).toEqual({ code, signal: null, dumpedCore: false });
    for (const [number, signal] of DEADLY) {
      expect(decodeWaitStatus(number)).toEqual({ code: null, signal, dumpedCore: false });
      expect(decodeWaitStatus(number | 0x80)).toEqual({ code: null, signal, dumpedCore: true });
    }
    expect(decodeWaitStatus(33).signal).toBe("SIG33");
  });
});
