// Frames per second and bytes of a full-screen scroll in a display of 1600x900, seen by noVNC in Chromium through the manager, and the
// manager's memory for a viewer that reads nothing. Peer: the same display, seen by noVNC through a bare proxy. `npx tsx bench/display.ts`
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";
import { Viewer } from "../test/e2e/displays/rfb.ts";
import { httpOf, launchBrowser, newPage } from "./support/browser.ts";
import { cpuMs } from "./support/cpu.ts";
import { percentile, printFigure, rounded, sleep } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";
import { Part } from "./support/part.ts";

const ROUNDS = 3;
const ROUND_MS = 4_000;
const STALLED_VIEWERS = 4;
/** Of the box of the display view in a window of 1280x800, pixels: the peer's is the same. */
const BOX = ["1016", "656"];
/** Fills the screen with other text again and again. */
const SCROLL = "while :; do head -c 4000 /dev/urandom | base64 -w 260; sleep 0.01; done";
/** noVNC draws each frame by one drawImage into the canvas that is shown; all bytes come as binary messages. */
const COUNTERS = `
  globalThis.seen = { frames: 0, bytes: 0 };
  const draw = CanvasRenderingContext2D.prototype.drawImage;
  CanvasRenderingContext2D.prototype.drawImage = function (...words) {
    if (this.canvas.isConnected) seen.frames++;
    return draw.apply(this, words);
  };
  globalThis.WebSocket = new Proxy(WebSocket, {
    construct(target, words) {
      const ws = new target(...words);
      ws.addEventListener("message", ({ data }) => {
        seen.bytes += data.byteLength ?? 0;
      });
      return ws;
    },
  });`;

interface Seen {
  frames: number;
  bytes: number;
}

interface Round {
  fps: number;
  mb_s: number;
  /** Processor time of the proxy for a megabyte. */
  cpu_ms: number;
}

await using manager = await BenchManager.up({ scroll: { command: ["xterm", "-geometry", "264x67+0+0", "-e", SCROLL], forward_x11: true } });
const client = await manager.connect();
const started = client.until(
  ({ type, process }) =>
    type === "process_upsert" && (process as { name: string }).name === "scroll" && (process as { state: string }).state === "started",
);
await client.ask({ type: "start_process", name: "scroll" });
await started;
const info = await (await fetch(`${httpOf(manager)}/mgr/vnc/info`, { headers: { authorization: manager.authorization } })).json();
const { socket } = JSON.parse(readFileSync(join(manager.dir, "state/manager.lock"), "utf8")) as { socket: string };
const rfbSocket = join(dirname(socket), `x${(info as { display: number }).display}`, "rfb.sock");
await using bare = await Part.start(new URL("./support/bare-vnc.ts", import.meta.url), rfbSocket, ...BOX);
const { url } = await bare.ask<{ url: string }>({});
const browser = await launchBrowser();

async function watch(page: Page, address: string, cpu: () => number): Promise<Round> {
  await page.goto(address);
  const seen = () => page.evaluate<Seen>("({ ...seen })");
  for (let tries = 0; (await seen()).frames < 5; tries++) {
    if (tries === 300) throw new Error(`no picture at ${address}`);
    await sleep(50);
  }
  const before = { ...(await seen()), cpu: cpu(), at: performance.now() };
  await sleep(ROUND_MS);
  const after = { ...(await seen()), cpu: cpu(), at: performance.now() };
  await page.context().close();
  const [seconds, megabytes] = [(after.at - before.at) / 1_000, (after.bytes - before.bytes) / 1e6];
  return { fps: (after.frames - before.frames) / seconds, mb_s: megabytes / seconds, cpu_ms: (after.cpu - before.cpu) / megabytes };
}

const [ours, theirs]: [Round[], Round[]] = [[], []];
for (let round = 0; round < ROUNDS; round++) {
  const page = await newPage(browser, manager, { script: COUNTERS, settings: { displayResizes: false } });
  ours.push(await watch(page, `${httpOf(manager)}/?view=display`, () => manager.cpu().manager));
  theirs.push(await watch(await newPage(browser, url, { script: COUNTERS }), url, () => cpuMs(bare.pid)));
}
await browser.close();

// Viewers that ask for every frame, and read none.
const memoryBefore = manager.memory().manager;
const stalled: Viewer[] = [];
for (let count = 0; count < STALLED_VIEWERS; count++) {
  const viewer = await Viewer.open(httpOf(manager), manager.authorization);
  viewer.ws.pause();
  for (let request = 0; request < 100; request++) viewer.ws.send(Buffer.from([3, 0, 0, 0, 0, 0, 6, 64, 3, 132]));
  stalled.push(viewer);
}
let most = memoryBefore;
for (let look = 0; look < 30; look++) {
  await sleep(100);
  most = Math.max(most, manager.memory().manager);
}
for (const viewer of stalled) viewer.ws.terminate();

const median = (rounds: Round[], of: keyof Round) =>
  percentile(
    rounds.map((round) => round[of]),
    0.5,
  );
printFigure({
  figure: "display",
  unit: "frames per second of a full-screen scroll of 1600x900, noVNC in Chromium",
  value: rounded(median(ours, "fps"), 1),
  mb_s: rounded(median(ours, "mb_s")),
  cpu_ms_per_mb: rounded(median(ours, "cpu_ms")),
  peer: "noVNC through a bare ws proxy, same display",
  peer_value: rounded(median(theirs, "fps"), 1),
  peer_mb_s: rounded(median(theirs, "mb_s")),
  peer_cpu_ms_per_mb: rounded(median(theirs, "cpu_ms")),
  ratio: rounded(median(ours, "fps") / median(theirs, "fps")),
  mib_for_a_stalled_viewer: rounded((most - memoryBefore) / STALLED_VIEWERS, 1),
});
