// The longest task of the page's main thread while it shows a process that writes 10 MB/s, and then also 1,000 others are
// started, by the browser's trace. Peer: bare xterm.js on a page that gets the same bytes, and is told of nothing else. `npx tsx bench/page-flood.ts`
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import type { WebSocket } from "ws";
import { BareSite } from "./support/bare-site.ts";
import { httpOf, launchBrowser, newPage, processNames } from "./support/browser.ts";
import type { Client } from "./support/client.ts";
import { percentile, printFigure, rounded, sleep } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";
import { LONG_TASK_MS, startTrace, type Trace } from "./support/trace.ts";

const COUNT = 1_000;
const BYTES_PER_SECOND = 10e6;
const SETTLE_MS = 2_000;
const MEASURE_MS = 4_000;
const PROGRAM = fileURLToPath(new URL("./support/steady-output.js", import.meta.url));
const PIECE = "2026-11-21T08:14:02.123 \x1b[32mINFO\x1b[0m  a line of a program that says more than anybody will ever read: 42\r\n".repeat(
  1_600,
);
const BARE_TERMINAL = `<!doctype html><title>bare</title><link rel="stylesheet" href="/xterm.css"><body style="margin:0"><div id="box" style="height:100vh"></div>
<script src="/xterm.js"></script>
<script>
  const terminal = new Terminal({ cols: 120, rows: 40, scrollback: 20000 });
  terminal.open(box);
  new WebSocket(location.href.replace("http", "ws")).onmessage = ({ data }) => terminal.write(JSON.parse(data).output);
</script>`;

/** Tasks of a stretch: the longest, the 99th percentile of those over 1 ms, and how many are long. */
function tasksOf(trace: Trace): { longest: number; cpu: number; long: number; p99: number } {
  const tasks = trace.tasks().filter(({ ms }) => ms > 1);
  return {
    longest: rounded(tasks[0]?.ms ?? 0, 0),
    cpu: rounded(Math.max(0, ...tasks.map(({ cpuMs }) => cpuMs)), 0),
    long: tasks.filter(({ ms }) => ms > LONG_TASK_MS).length,
    p99: rounded(
      percentile(
        tasks.map(({ ms }) => ms),
        0.99,
      ),
      0,
    ),
  };
}

async function record(browser: Browser, page: Page, what: () => Promise<unknown>): Promise<ReturnType<typeof tasksOf>> {
  const recording = await startTrace(browser);
  await page.evaluate(`performance.mark("bench-begin")`);
  await what();
  return tasksOf(await recording.stop());
}

/** MB/s that a subscriber gets, escapes of JSON included; it is gone before anything of the page is measured. */
async function bytesOnTheWire(subscriber: Client): Promise<number> {
  subscriber.send({ type: "subscribe_process_output", patterns: ["flood"] });
  // The backlog comes first.
  await sleep(SETTLE_MS);
  let bytes = 0;
  subscriber.ws.on("message", (data: Buffer) => {
    bytes += data.length;
  });
  const begin = performance.now();
  await sleep(SETTLE_MS);
  const megabytes = bytes / (performance.now() - begin) / 1_000;
  subscriber.ws.terminate();
  return megabytes;
}

const names = processNames(COUNT);
const flood = { command: ["node", PROGRAM, String(BYTES_PER_SECOND)], stop: { signal: "SIGKILL" } };
const others = Object.fromEntries(names.map((name) => [name, { command: ["sleep", "1000"], stop: { signal: "SIGKILL" } }]));
await using manager = await BenchManager.up({ flood, ...others });
const client = await manager.connect();
await client.ask({ type: "start_process", name: "flood" });
const browser = await launchBrowser();

const page = await newPage(browser, manager);
await page.goto(`${httpOf(manager)}/?process=flood`);
await page.locator(".xterm-screen").waitFor();
await sleep(SETTLE_MS);
const megabytes = await bytesOnTheWire(await manager.connect());
const flooding = await record(browser, page, () => sleep(MEASURE_MS));
const groups = [...new Set(names.map((name) => name.slice(0, name.indexOf("/"))))];
const all = async (verb: "start" | "stop") => {
  const done = client.untilAll(names, verb === "start" ? "started" : "stopped");
  for (const name of groups) client.send({ type: `${verb}_group`, name });
  await done;
};
const starting = await record(browser, page, () => all("start"));
await page.context().close();
await all("stop");

let socket: WebSocket | undefined;
await using site = await BareSite.serve(BARE_TERMINAL, (ws) => {
  socket = ws;
});
const bare = await newPage(browser, site.url);
await bare.goto(site.url);
const frame = JSON.stringify({ type: "process_output", name: "flood", output: PIECE });
const sending = setInterval(() => socket?.send(frame), (1_000 * PIECE.length) / BYTES_PER_SECOND);
await sleep(SETTLE_MS);
const theirs = await record(browser, bare, () => sleep(MEASURE_MS));
const theirsWhileStarting = await record(browser, bare, () => all("start"));
clearInterval(sending);
await browser.close();

printFigure({
  figure: "page-flood",
  unit: "ms, longest task on the page's main thread while it shows a process that writes 10 MB/s",
  value: flooding.longest,
  tasks: flooding,
  received_mb_s: rounded(megabytes, 1),
  while_1000_others_start: starting,
  peer: "bare page with xterm.js that receives 10 MB/s",
  peer_value: theirs.longest,
  peer_tasks: theirs,
  peer_while_1000_others_start: theirsWhileStarting,
});
