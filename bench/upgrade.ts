// Pause of each terminal while `mgr upgrade` replaces manager and daemon, milliseconds, p99 of 200 processes that write 10 MB/s together, beside
// five topics at 1 kHz of a Python client, a recording of them, an attached terminal and a page; what is lost of each. Peer: the longest pause of
// the same terminals, beside the same, in as much time without an upgrade. `npx tsx bench/upgrade.ts [processes]`
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { ManagerClient } from "../src/client/manager-client.ts";
import { connect } from "../src/client/node.ts";
import { OutputJoin } from "../src/client/output-join.ts";
import { readMcap } from "../test/features/recordings/samples/mcap/independent-reader.ts";
import { freePort } from "../test/support/free-port.ts";
import { httpOf, launchBrowser, newPage } from "./support/browser.ts";
import { percentile, printFigure, rounded, sleep } from "./support/figure.ts";
import { FollowedTerminal } from "./support/followed-terminal.ts";
import { BenchManager, type ProcessSettings } from "./support/manager.ts";
import { LINE_BYTES, lastLine, NumberedLines } from "./support/numbered-lines.ts";

const PROCESSES = Number(process.argv[2] ?? 200);
const PACE = 10_000_000 / PROCESSES / LINE_BYTES;
const WRITER = join(import.meta.dirname, "support/numbered-output.py");
const PUBLISHER = join(import.meta.dirname, "../test/fixtures/numbered-samples.py");
/** Topics, samples a second of each, samples of each. */
const [TOPICS, RATE, SAMPLES] = [5, 1_000, 10_000];
/** Time before the upgrade, milliseconds. */
const WARM_UP_MS = 3_000;
/** Time limit for the start of all processes, milliseconds. */
const START_MS = 120_000;
/** Time limit for the samples to arrive, milliseconds: a client that cannot keep the pace on a busy machine makes up for it. */
const SAMPLES_MS = 240_000;
/** Time limit for what a process writes at its end, milliseconds. */
const END_MS = 60_000;

interface Samples {
  readonly lost: number;
  readonly double: number;
  readonly longest_gap_ms: number;
  readonly problems: readonly string[];
}

/** `told_missing_bytes`: what the viewer was told it would not receive, of a process that writes faster than it reads. */
interface Seen {
  readonly lines: number;
  readonly missing: number;
  readonly told_missing_bytes: number;
}

interface Outcome {
  readonly pauses: readonly number[];
  readonly lostBytes: number;
  readonly changedPids: number;
  readonly samples: Samples & { readonly notRecorded: number };
  readonly attached: Seen;
  readonly page: Seen;
}

const login = { user: "bench", password: "bench" };
const publisherOf = (group: string) => `${group}/publisher`;
const namesOf = (group: string) => Array.from({ length: PROCESSES }, (_, index) => `${group}/${index}`);
/** The processes of both measurements. */
const processes: Record<string, ProcessSettings> = {};
for (const group of ["usual", "upgraded"]) {
  processes[publisherOf(group)] = { command: ["python3", PUBLISHER, `${TOPICS}`, `${RATE}`, `${SAMPLES}`] };
  for (const name of namesOf(group))
    processes[name] = { command: `stty -echo; exec python3 ${WRITER} ${PACE}`, stop: { signal: "SIGKILL" } };
}
await using manager = await BenchManager.up(processes, { port: freePort(), isDetached: true });
const browser = await launchBrowser();
try {
  const usual = await measured("usual", () => sleep(2_000));
  const upgraded = await measured("upgraded", async () => {
    const programs: { problem: string | null }[] = JSON.parse(await manager.mgr("upgrade", "--json"));
    const failed = programs.find(({ problem }) => problem !== null);
    if (failed !== undefined || programs.length !== 2) throw new Error(`not upgraded: ${JSON.stringify(programs)}`);
  });
  const { pauses, lostBytes, changedPids, samples, attached, page } = upgraded;
  printFigure({
    figure: "pause of a terminal while manager and daemon are upgraded, p99",
    unit: "ms",
    value: rounded(percentile(pauses, 0.99)),
    p50: rounded(percentile(pauses, 0.5)),
    processes: PROCESSES,
    lost_bytes: lostBytes,
    changed_pids: changedPids,
    samples: { of: TOPICS * SAMPLES, ...samples },
    attached,
    page,
    peer: "longest pause of the same terminals without it, p99",
    peer_value: rounded(percentile(usual.pauses, 0.99)),
    peer_lost_bytes: usual.lostBytes,
    peer_samples: usual.samples,
    peer_attached: usual.attached,
    peer_page: usual.page,
  });
} finally {
  await browser.close();
}

/** Runs the processes of a group with everything beside them; calls `during` in the middle. */
async function measured(group: string, during: () => Promise<void>): Promise<Outcome> {
  const names = namesOf(group);
  const [attachedName = "", pageName = ""] = names;
  const client = await connect(httpOf(manager), login);
  await client.request({ type: "start_recording", name: group, topics: ["arm/*"], min_free_space: 0 });
  await Promise.all(names.map((name) => client.process(name).start({ timeout: START_MS })));
  const before = await pidsOf(client, names);
  const viewer = await connect(httpOf(manager), login);
  const attached = new FollowedTerminal(viewer, attachedName);
  const { page, lines: shown } = await openPage(pageName);
  const publisher = client.process(publisherOf(group));
  await publisher.start({ timeout: START_MS });
  await publisher.waitForOutput(/ready/, { timeout: START_MS });
  await sleep(WARM_UP_MS);
  await during();
  const [printed] = await publisher.waitForOutput(/\{"complete".*\}/, { timeout: SAMPLES_MS });
  const result: Samples = JSON.parse(printed);
  await client.request({ type: "stop_recording", name: group });

  const after = await pidsOf(client, names);
  const last = new Map<string, number>();
  const pauses: number[] = [];
  let lostBytes = 0;
  for (const name of names) {
    const process = client.process(name);
    await process.write("\n");
    const [, pause] = await process.waitForOutput(/longest ([\d.]+) ms/, { timeout: END_MS });
    pauses.push(Number(pause));
    const { output, offset } = await client.request({ type: "get_process_output", name });
    const end = lastLine(output, offset);
    last.set(name, end.number);
    lostBytes += end.lostBytes;
  }
  const outcome: Outcome = {
    pauses,
    lostBytes,
    changedPids: names.filter((name) => before.get(name) !== after.get(name)).length,
    samples: { ...result, notRecorded: TOPICS * SAMPLES - recorded(group) },
    attached: seen(attached.lines, last.get(attachedName)),
    page: seen(shown, last.get(pageName)),
  };
  await page.context().close();
  await Promise.all(names.map((name) => client.process(name).stop()));
  viewer.close();
  client.close();
  return outcome;
}

async function pidsOf(client: ManagerClient, names: readonly string[]): Promise<Map<string, number | null>> {
  await client.mirror.current();
  return new Map(names.map((name) => [name, client.mirror.process(name)?.pid ?? null]));
}

/** A page that shows the terminal of a process, and the lines that it receives over all of its connections. */
async function openPage(name: string): Promise<{ page: Page; lines: NumberedLines }> {
  const page = await newPage(browser, manager);
  const lines = new NumberedLines();
  page.on("websocket", (socket) => {
    const output = new OutputJoin();
    lines.cut();
    socket.on("framereceived", ({ payload }) => {
      const frame = JSON.parse(payload.toString());
      if (frame.name !== name) return;
      if (frame.type === "process_output") {
        lines.toldMissingBytes += frame.skipped ?? 0;
        lines.add(output.live(frame));
      } else if (frame.type === "process_output_snapshot") {
        // First the newest lines, then all: these may end before live output that has arrived already.
        if (output.end === null) lines.add(output.backlog(frame));
        else lines.addApart(frame.output);
      }
    });
  });
  await page.goto(`${httpOf(manager)}/?process=${encodeURIComponent(name)}`);
  await page.locator(".xterm-screen").waitFor();
  return { page, lines };
}

function recorded(name: string): number {
  const folder = join(manager.dir, "state/recordings", name);
  const files = readdirSync(folder).filter((file) => file.endsWith(".mcap"));
  return files.reduce((sum, file) => sum + readMcap(readFileSync(join(folder, file))).messages.length, 0);
}

function seen(lines: NumberedLines, last = Number.NaN): Seen {
  return { lines: lines.count, missing: lines.missing(last), told_missing_bytes: lines.toldMissingBytes };
}
