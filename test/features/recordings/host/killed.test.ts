import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { beforeAll, expect, it } from "vitest";
import { RecordingFolder } from "../../../../src/features/recordings/host/recording-folder.ts";
import { bundled } from "../../../support/bundled.ts";
import { readMcap } from "../samples/mcap/independent-reader.ts";
import { readIndexed } from "../samples/mcap/indexed-reader.ts";
import { INSTANCE } from "./recording-rig.ts";

/** MGR_SOAK=1: as many moments as the requirement names. */
const IS_SOAK = process.env.MGR_SOAK === "1";
const MOMENTS = IS_SOAK ? 50 : 3;
const MAX_LOSS_NS = 1_000_000_000;

let program = "";
beforeAll(async () => {
  program = await bundled("test/features/recordings/host/record-from-memory.ts");
});

it(`every file can be read after kill -9 at ${MOMENTS} random moments`, { timeout: 600_000 }, async () => {
  for (let moment = 0; moment < MOMENTS; moment++) {
    const folder = mkdtempSync(join(tmpdir(), "mgr-killed-"));
    try {
      const { first, last } = await recordAndKill(folder, 2 + Math.floor(Math.random() * (IS_SOAK ? 30 : 8)));
      const names = readdirSync(folder)
        .filter((name) => name.endsWith(".mcap"))
        .sort();
      // What the killed program had given to the kernel, as the independent reader finds it.
      const before = names.flatMap((name) => readMcap(readFileSync(join(folder, name)), { isCut: true }).messages);
      const left = new RecordingFolder(folder, { host: "rt1", instance: INSTANCE }, () => {});
      const files = await left.complete(await left.names());
      expect(files.map(({ report }) => report.file)).toEqual(names);
      const after: { sequence: number; logTime: bigint }[] = [];
      for (const name of names) {
        const { messages } = await readIndexed(join(folder, name));
        expect(messages.map(({ sequence }) => sequence)).toEqual(
          readMcap(readFileSync(join(folder, name))).messages.map(({ sequence }) => sequence),
        );
        after.push(...messages);
      }
      expect(after.map(({ sequence }) => sequence)).toEqual(Array.from({ length: after.length }, (_, n) => n + 1));
      expect(after.length).toBeGreaterThanOrEqual(before.length);
      // How far the disk is behind depends on the speed of the machine: only on a quiet one.
      if (IS_SOAK) expect(Number(last - (after.at(-1)?.logTime ?? first))).toBeLessThan(MAX_LOSS_NS);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
});

/** Kills the program after so many of its lines; returns the times of the first and the last message that it told. */
async function recordAndKill(folder: string, lines: number): Promise<{ first: bigint; last: bigint }> {
  const child = spawn(process.execPath, [program, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  let seen = 0;
  let first: bigint | null = null;
  let last = 0n;
  for await (const line of createInterface(child.stdout)) {
    last = BigInt(line.split(" ")[1] ?? 0);
    first ??= last;
    if (++seen !== lines) continue;
    setTimeout(() => child.kill("SIGKILL"), Math.random() * 90);
  }
  await exited;
  return { first: first ?? 0n, last };
}
