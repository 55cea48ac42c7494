import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { LiveProcesses } from "./live-processes.ts";
import type { Peer } from "./peer.ts";
import { DebianProgram } from "./program.ts";

const run = promisify(execFile);

/** s6-svscan of Debian's package `s6` with an s6-supervise for each process. */
export function s6(processes: LiveProcesses): Peer {
  const { dir, count } = processes;
  const scan = join(dir, "scan");
  const folders = Array.from({ length: count }, (_, number) => join(scan, `p${number}`));
  mkdirSync(scan);
  for (const [number, folder] of folders.entries()) {
    mkdirSync(folder);
    const script = join(folder, "run");
    writeFileSync(script, `#!/bin/sh\nexec ${processes.command(number).join(" ")}\n`);
    chmodSync(script, 0o755);
  }
  const program = new DebianProgram("s6", "s6-svscan", ["-c", String(count + 10), scan], dir);
  return {
    up: async () => program.start(),
    programs: () => program.pids.flatMap((scanner) => [scanner, ...childrenOf(scanner)]),
    stop: async () => {
      // As s6-rc does it: one signal to each supervisor, then one wait for all.
      const batches = Array.from({ length: Math.ceil(count / 100) }, (_, index) => folders.slice(100 * index, 100 * (index + 1)));
      await run("sh", ["-c", 'for folder; do s6-svc -d "$folder"; done', "sh", ...folders]);
      for (const batch of batches) await run("s6-svwait", ["-a", "-D", ...batch]);
    },
    restart: async (number) => {
      await run("s6-svc", ["-r", join(scan, `p${number}`)]);
    },
    status: null,
    [Symbol.asyncDispose]: () => program.end(),
  };
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim().split(" ").map(Number);
}
