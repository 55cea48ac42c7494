// What 1,000 pages cost that watch 1,000 processes with 100 changes a second, and how late the changes are at each page. A change is a
// command override, which is an upsert and an entry of the log. Peer: a bare `ws` server that sends the same frames to as many clients at the
// same rate. `npx tsx bench/many-pages.ts`; MGR_BENCH_PAGES is the number of pages.
import type { BareUpsertsQuestion } from "./support/bare-upserts.ts";
import type { Client } from "./support/client.ts";
import { cpuMs } from "./support/cpu.ts";
import { medianOf, printFigure, rounded, sleep } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";
import type { PageLoadCount, PageLoadQuestion } from "./support/page-load.ts";
import { Part } from "./support/part.ts";
import { findMark, markNow } from "./support/upsert-marks.ts";

const PAGES = Number(process.env.MGR_BENCH_PAGES ?? 1_000);
const PROCESSES = 1_000;
const PER_SECOND = 100;
const SECONDS = 2;
/** Manager and peer in turn; the median counts. */
const ROUNDS = 3;
/** The pages have what they will receive when no mark has come for so long, ms. */
const SETTLE_MS = 1_000;
const LOAD = new URL("./support/page-load.ts", import.meta.url);
const BARE = new URL("./support/bare-upserts.ts", import.meta.url);
const OPENING: PageLoadQuestion = {
  pages: PAGES,
  hello: ['{"type":"get_snapshot"}', '{"type":"set_log_min_level","level":"info","request_id":"complete"}'],
  until: '"request_id":"complete"',
};

const nameOf = (index: number) => `fleet/process-${index % PROCESSES}`;

/** Makes changes at an even rate. */
async function change(client: Client, count: number): Promise<void> {
  const begin = performance.now();
  for (let made = 0; made < count; ) {
    for (; made < Math.min(count, ((performance.now() - begin) * PER_SECOND) / 1_000); made++)
      client.send({ type: "set_process_command_override", name: nameOf(made), override: markNow() });
    await sleep(1);
  }
}

/** The frames of some changes, as a page receives them. */
async function framesOfChanges(manager: BenchManager, client: Client): Promise<string[][]> {
  const page = await manager.connect();
  const changes: string[][] = [];
  let frames: string[] = [];
  page.ws.on("message", (data: Buffer) => {
    if (findMark(data) >= 0 && frames.length > 0) {
      changes.push(frames);
      frames = [];
    }
    frames.push(data.toString());
  });
  await change(client, PER_SECOND);
  await sleep(SETTLE_MS);
  page.ws.terminate();
  return changes;
}

interface Round {
  /** Processor time of the server for each upsert at a page, µs. */
  readonly us: number;
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
  /** Upserts that a page did not receive, of all changes. */
  readonly merged: number;
}

async function settled(load: Part): Promise<PageLoadCount> {
  for (let before = await load.ask<PageLoadCount>({}); ; ) {
    await sleep(SETTLE_MS);
    const now = await load.ask<PageLoadCount>({});
    if (now.marks === before.marks) return now;
    before = now;
  }
}

async function measure(load: Part, pid: number, send: (count: number) => Promise<unknown>): Promise<Round> {
  const count = PER_SECOND * SECONDS;
  await load.ask<PageLoadCount>({ clear: true });
  const before = cpuMs(pid);
  await send(count);
  const { marks, fewest, most, disordered, late } = await settled(load);
  const cpu = cpuMs(pid) - before;
  if (disordered > 0 || most > count)
    throw new Error(`of ${count} changes a page received ${most}, ${disordered} of them again or too late`);
  return { us: (cpu * 1_000) / marks, ...late, merged: count - fewest };
}

const settings = Object.fromEntries(
  Array.from({ length: PROCESSES }, (_, index) => [nameOf(index), { command: ["true"], autostart: false }]),
);
await using manager = await BenchManager.up(settings);
const client = await manager.connect();
const [pid = 0] = manager.programs();
const changes = await framesOfChanges(manager, client);
await using bare = await Part.start(BARE);
const { url } = await bare.ask<{ url: string }>({ changes } satisfies BareUpsertsQuestion);
await using pages = await Part.start(LOAD, `${manager.url}/ws`, manager.authorization);
await using barePages = await Part.start(LOAD, url);

const ours: Round[] = [];
const theirs: Round[] = [];
await pages.ask<PageLoadCount>({ ...OPENING, pages: 1 });
const onePage = await measure(pages, pid, (count) => change(client, count));
await pages.ask<PageLoadCount>(OPENING);
await barePages.ask<PageLoadCount>({ pages: PAGES });
for (let round = 0; round < ROUNDS; round++) {
  ours.push(await measure(pages, pid, (count) => change(client, count)));
  theirs.push(
    await measure(barePages, bare.pid, (count) => bare.ask({ send: { count, perSecond: PER_SECOND } } satisfies BareUpsertsQuestion)),
  );
}

const lateness = (rounds: readonly Round[]) => ({
  p50: rounded(medianOf(rounds, "p50"), 1),
  p99: rounded(medianOf(rounds, "p99"), 1),
  worst: rounded(Math.max(...rounds.map((round) => round.worst)), 1),
});
const [value, peer] = [medianOf(ours, "us"), medianOf(theirs, "us")];
printFigure({
  figure: "many-pages",
  unit: `µs of the manager's processor time for each upsert at a page, ${PAGES} pages, ${PER_SECOND} changes a second`,
  value: rounded(value),
  peer: "bare ws server that sends the same frames to as many clients",
  peer_value: rounded(peer),
  ratio: rounded(peer / value),
  late_ms: lateness(ours),
  peer_late_ms: lateness(theirs),
  merged: Math.max(...ours.map((round) => round.merged)),
  ms_for_a_change_with_one_page: rounded(onePage.us / 1_000),
  us_for_each_further_page: rounded((value * PAGES - onePage.us) / (PAGES - 1)),
  frames_of_a_change: rounded(changes.flat().length / changes.length, 1),
  bytes_of_a_change: Math.round(changes.flat().reduce((sum, frame) => sum + Buffer.byteLength(frame), 0) / changes.length),
});
