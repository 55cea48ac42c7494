// Bytes lost of programs that print 1 kB to 10 MB and exit: terminal, ring, hub, socket, through a real manager.
// Peer: node-pty's spawn, which loses the last output now and then. `npx tsx bench/bytes-lost.ts [runs of each size]`
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawn } from "node-pty";
import type { Client, Frame } from "./support/client.ts";
import { printFigure, sleep } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";

const SIZES = [1_000, 20_000, 200_000, 10_000_000];
/** Of the small sizes; of the largest a tenth. */
const runs = Number(process.argv[2] ?? 30);
const runsOf = (size: number) => (size > 1_000_000 ? Math.ceil(runs / 10) : runs);
/** How long node-pty may still deliver after the exit, milliseconds. */
const LATE_MS = 50;

/** No two stretches are alike, and the terminal changes nothing of it: there is no newline. */
const pattern = Array.from({ length: 1_400_000 }, (_, index) => `${index} `).join("");
const expected = new Map(SIZES.map((size) => [size, digest([pattern.slice(0, size)])]));

interface Loss {
  lost: number;
  /** Runs that came short or differ. */
  wrong: number;
}

function judge(loss: Loss, size: number, pieces: readonly string[]): void {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  loss.lost += Math.max(0, size - length);
  if (digest(pieces) !== expected.get(size)) loss.wrong++;
}

function digest(pieces: readonly string[]): string {
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece);
  return hash.digest("hex");
}

/** One run through the manager: what a subscriber got until it was told of the end. */
async function throughManager(client: Client, name: string): Promise<Frame[]> {
  const raw: Buffer[] = [];
  const listen = (data: Buffer) => raw.push(data);
  client.ws.on("message", listen);
  const ended = new Promise<void>((resolve) => {
    const look = (data: Buffer) => {
      // Frames are looked at when all have come: a subscriber that is slow is skipped.
      if (data.length > 4_096 || !data.includes('"state":"stopped"')) return;
      client.ws.off("message", look);
      resolve();
    };
    client.ws.on("message", look);
  });
  client.send({ type: "start_process", name });
  await ended;
  client.ws.off("message", listen);
  const frames = raw.map((data) => JSON.parse(data.toString()) as Frame);
  return frames.filter(({ type }) => type === "process_output");
}

function throughNodePty(command: readonly string[]): Promise<string[]> {
  const [program = "", ...args] = command;
  return new Promise((resolve) => {
    const pieces: string[] = [];
    const terminal = spawn(program, args, {});
    terminal.onData((piece) => pieces.push(piece));
    terminal.onExit(() => sleep(LATE_MS).then(() => resolve(pieces)));
  });
}

const nameOf = (size: number) => `print ${size}`;
await using manager = await BenchManager.up(
  Object.fromEntries(
    SIZES.map((size) => [nameOf(size), { command: ["head", "-c", String(size), "pattern"], terminal: { backlog: "16MiB" } }]),
  ),
);
const file = join(manager.dir, "pattern");
writeFileSync(file, pattern);
const client = await manager.connect();
await client.ask({ type: "subscribe_process_output", patterns: ["*"] });

const ours: Loss = { lost: 0, wrong: 0 };
const theirs: Loss = { lost: 0, wrong: 0 };
let total = 0;
/** Of the bytes that our subscriber missed, those it was told of. */
let declared = 0;
for (const size of SIZES) {
  for (let run = 0; run < runsOf(size); run++) {
    total += size;
    const frames = await throughManager(client, nameOf(size));
    declared += frames.reduce((sum, { skipped = 0 }) => sum + Number(skipped), 0);
    judge(
      ours,
      size,
      frames.map(({ output }) => String(output)),
    );
    judge(theirs, size, await throughNodePty(["head", "-c", String(size), file]));
  }
}
printFigure({
  figure: "bytes-lost",
  unit: "bytes lost",
  value: ours.lost,
  declared,
  wrong_runs: ours.wrong,
  peer: "node-pty spawn",
  peer_value: theirs.lost,
  peer_wrong_runs: theirs.wrong,
  runs: SIZES.reduce((sum, size) => sum + runsOf(size), 0),
  sizes: SIZES,
  bytes: total,
});
