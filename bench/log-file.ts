// MiB/s of one flooding process into its log file, rotation included. Peer: a bare reader of a terminal with the same
// program. `npx tsx bench/log-file.ts`
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PLAIN_RUN, type RunSpec } from "../src/contract/run.ts";
import { Host } from "../src/daemon/host.ts";
import { percentile, printFigure, rounded, sleep } from "./support/figure.ts";
import { Part } from "./support/part.ts";

const LINE = "2026-11-21T08:14:02.123 INFO  a line of a program that says much more than anybody will ever read: 42";
const FLOOD = ["yes", LINE];
const ROUNDS = 3;
const SETTLE_MS = 300;
const MEASURE_MS = 1_500;
const MEBIBYTE = 1024 * 1024;

const folder = mkdtempSync(join(tmpdir(), "mgr-bench-log-"));
const host = new Host({ host: "bench", subreaper: false, log: () => {} });
const { session } = await host.request("hello", { epoch: 1, manager_pid: process.pid, contracts: [1] });
const heart = setInterval(() => host.heartbeat(session), 1_000);
await using bare = await Part.start(new URL("./support/bare-reader.ts", import.meta.url), ...FLOOD);

function flood(name: string, logFile: RunSpec["log_file"]): RunSpec {
  return {
    name,
    command: FLOOD.join(" "),
    program: { kind: "exec", argv: FLOOD },
    cwd: folder,
    base_dir: folder,
    environment: {},
    pass_environment: [],
    inherited: null,
    terminal: { rows: 24, cols: 80, backlog: 4 * MEBIBYTE },
    ready: null,
    stop: [{ signal: "SIGTERM", timeout_ms: 5_000 }],
    stop_rank: 0,
    ...PLAIN_RUN,
    log_file: logFile,
  };
}

async function perSecond(count: () => Promise<number>): Promise<number> {
  await sleep(SETTLE_MS);
  const [before, begin] = [await count(), performance.now()];
  await sleep(MEASURE_MS);
  return ((await count()) - before) / MEBIBYTE / ((performance.now() - begin) / 1_000);
}

async function withHost(round: number, logFile: RunSpec["log_file"]): Promise<number> {
  const name = `flood${round}${logFile === null ? "" : "-logged"}`;
  const { run } = await host.request("spawn", {
    session,
    run_id: `1-${round * 2 + (logFile === null ? 1 : 2)}`,
    spec: flood(name, logFile),
    memo: "",
  });
  const rate = await perSecond(async () => (await host.request("tail", { session, name, lines: 1 })).until);
  const extinct = new Promise<void>((resolve) => {
    const leave = host.listen({
      onEvent: (event) => {
        if (event.kind !== "extinct" || event.run.run_id !== run.run_id) return;
        leave();
        resolve();
      },
    });
  });
  await host.request("stop", { session, run_id: run.run_id, steps: [{ signal: "SIGKILL", timeout_ms: 1_000 }] });
  await extinct;
  return rate;
}

async function withoutHost(): Promise<number> {
  await bare.ask({ run: true });
  const rate = await perSecond(async () => (await bare.ask<{ bytes: number }>({})).bytes);
  await bare.ask({ run: false });
  return rate;
}

const [logged, unlogged, theirs]: number[][] = [[], [], []];
for (let round = 0; round < ROUNDS; round++) {
  theirs?.push(await withoutHost());
  unlogged?.push(await withHost(round, null));
  logged?.push(await withHost(round, { path: "flood.log", max_size: 64 * MEBIBYTE, max_files: 2 }));
}
clearInterval(heart);
await host.close();
const size = statSync(join(folder, "flood.log")).size;
rmSync(folder, { recursive: true });
const median = (values: number[] | undefined) => rounded(percentile(values ?? [], 0.5), 1);
printFigure({
  figure: "log-file",
  unit: "MiB/s of one process into its log file",
  value: median(logged),
  without_log_file: median(unlogged),
  peer: "bare reader of a terminal",
  peer_value: median(theirs),
  ratio: rounded(median(logged) / median(theirs)),
  is_written: size > 0,
});
