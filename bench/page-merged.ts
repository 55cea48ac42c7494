// Frames per second of the merged output of 20 processes that write 1,000 lines a second in all: while it follows the newest line, and while
// it is scrolled by the wheel, by the browser's trace. Peer: a bare page that adds the same lines. `npx tsx bench/page-merged.ts`
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import type { WebSocket } from "ws";
import { BareSite } from "./support/bare-site.ts";
import { httpOf, launchBrowser, newPage } from "./support/browser.ts";
import { percentile, printFigure, rounded, sleep } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";
import { wheelOver } from "./support/page-scrolling.ts";
import { shownIn, startTrace } from "./support/trace.ts";

const PROCESSES = 20;
const LINES_PER_SECOND = 1_000;
const ROUNDS = 3;
const SETTLE_MS = 4_000;
const MEASURE_MS = 4_000;
/** Pixels, and pixels per second, up and down again. */
const DISTANCE = 6_000;
const SPEED = 3_500;
const MARKS = `performance.mark("bench-page");`;
const PROGRAM = fileURLToPath(new URL("./support/steady-output.js", import.meta.url));
/** Length of the line of that program. */
const LINE = "2026-11-21T08:14:02.123 \x1b[32mINFO\x1b[0m  a line of a program that says more than anybody will ever read: 42\n";
const PLAIN_LINE = "2026-11-21T08:14:02.123 INFO  a line of a program that says more than anybody will ever read: 42";
const BARE = `<!doctype html><title>bare</title><body style="margin:0"><div id="list" style="height:100vh;overflow:auto;font:12px/19px monospace;white-space:pre"></div>
<script>
  let follows = true;
  list.onwheel = () => { follows = false };
  let waiting = [];
  new WebSocket(location.href.replace("http", "ws")).onmessage = ({ data }) => {
    if (waiting.push(...JSON.parse(data)) > 0) requestAnimationFrame(draw);
  };
  function draw() {
    for (const text of waiting.splice(0)) list.append(Object.assign(document.createElement("div"), { textContent: text }));
    while (list.childElementCount > 20000) list.firstChild.remove();
    if (follows) list.scrollTop = list.scrollHeight;
  }
</script>`;

interface Frames {
  following: number;
  scrolling: number;
  /** The longest time between two frames, milliseconds. */
  gap: number;
  task: number;
}

async function measure(browser: Browser, address: string, origin: BenchManager | string, list: string): Promise<Frames> {
  const page = await newPage(browser, origin, { script: MARKS });
  await page.goto(address);
  await page.locator(list).getByText("more than anybody").first().waitFor();
  await sleep(SETTLE_MS);
  const scroll = await wheelOver(page, list, SPEED);
  const record = async (what: () => Promise<unknown>) => {
    const recording = await startTrace(browser);
    await page.evaluate(`performance.mark("bench-page"); performance.mark("bench-begin")`);
    await what();
    await page.evaluate(`performance.mark("bench-end")`);
    return shownIn(await recording.stop());
  };
  const following = await record(() => sleep(MEASURE_MS));
  const scrolling = await record(async () => {
    for (const direction of [1, -1]) await scroll(direction * DISTANCE);
  });
  await page.context().close();
  return {
    following: following.fps,
    scrolling: scrolling.fps,
    gap: Math.max(following.gap, scrolling.gap),
    task: Math.max(following.task, scrolling.task),
  };
}

const rate = (LINES_PER_SECOND / PROCESSES) * LINE.length;
const names = Array.from({ length: PROCESSES }, (_, index) => `writers/number ${index}`);
const command = ["node", PROGRAM, String(rate)];
await using manager = await BenchManager.up(Object.fromEntries(names.map((name) => [name, { command, stop: { signal: "SIGKILL" } }])));
const client = await manager.connect();
const started = client.untilAll(names, "started");
client.send({ type: "start_group", name: "writers" });
await started;
let socket: WebSocket | undefined;
await using site = await BareSite.serve(BARE, (ws) => {
  socket = ws;
});
/** As often as the processes write. */
const EVERY_MS = 20;
const lines = Array.from({ length: (LINES_PER_SECOND * EVERY_MS) / 1_000 }, (_, index) => `number ${index} ${PLAIN_LINE}`);
const sending = setInterval(() => socket?.send(JSON.stringify(lines)), EVERY_MS);
const browser = await launchBrowser();
const ours: Frames[] = [];
const theirs: Frames[] = [];
for (let round = 0; round < ROUNDS; round++) {
  ours.push(await measure(browser, `${httpOf(manager)}/?merged=writers`, manager, ".merged-lines"));
  theirs.push(await measure(browser, site.url, site.url, "#list"));
}
clearInterval(sending);
await browser.close();

const median = (all: Frames[], of: keyof Frames) =>
  rounded(
    percentile(
      all.map((one) => one[of]),
      0.5,
    ),
    1,
  );
printFigure({
  figure: "page-merged",
  unit: `frames per second while the merged output of ${PROCESSES} processes, ${LINES_PER_SECOND} lines a second in all, is scrolled`,
  value: median(ours, "scrolling"),
  following: median(ours, "following"),
  longest_gap_ms: median(ours, "gap"),
  longest_task_ms: median(ours, "task"),
  peer: "bare page that adds the same lines",
  peer_value: median(theirs, "scrolling"),
  peer_following: median(theirs, "following"),
  peer_longest_gap_ms: median(theirs, "gap"),
});
