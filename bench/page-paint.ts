// Milliseconds from sending a start over another connection until the page has painted the new state, 1,000 processes, by the
// browser's trace. Peer: a bare page with 1,000 plain rows that is told of one changed row. `npx tsx bench/page-paint.ts`
import type { Page } from "playwright-core";
import type { WebSocket } from "ws";
import { BareSite, PLAIN_ROWS } from "./support/bare-site.ts";
import { httpOf, launchBrowser, newPage, processNames } from "./support/browser.ts";
import type { Frame } from "./support/client.ts";
import { percentile, printFigure, rounded, sleep } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";
import { startTrace, type Trace } from "./support/trace.ts";

const COUNT = 1_000;
const CHANGES = 60;
/** Between two changes, milliseconds: each is painted alone, and they do not fall into step with the frames. */
const REST_MS = 83;
const WARM_UP = 10;
/** A mark `bench-state` whenever the watched row shows another state. */
const watch = (row: string, text: string) => `{
  let before;
  const observer = new MutationObserver(() => {
    const row = document.querySelector(${JSON.stringify(row)});
    const now = row && ${text};
    if (now === before) return;
    before = now;
    performance.mark("bench-state");
  });
  observer.observe(document, { childList: true, subtree: true, characterData: true, attributes: true });
}`;

/** Microseconds of the clock that the trace uses. */
const now = () => Number(process.hrtime.bigint() / 1_000n);

/** Milliseconds from each time of sending to the first frame that was presented after the page had changed. */
function delays(sent: number[], trace: Trace): number[] {
  const changed = trace.marks("bench-state");
  const { presented } = trace.frames();
  return sent.map((time) => {
    const mark = changed.find((at) => at >= time) ?? Number.NaN;
    return ((presented.find((at) => at >= mark) ?? Number.NaN) - time) / 1_000;
  });
}

async function measure(page: Page, url: string, isThere: string, change: (round: number) => void): Promise<number[]> {
  const browser = page.context().browser();
  if (!browser) throw new Error("the page has no browser");
  await page.goto(url);
  await page.locator(isThere).first().waitFor();
  const sent: number[] = [];
  const recording = await startTrace(browser);
  for (let round = 0; round < WARM_UP + CHANGES; round++) {
    sent.push(now());
    change(round);
    await sleep(REST_MS);
  }
  const trace = await recording.stop();
  await page.context().close();
  return delays(sent.slice(WARM_UP), trace);
}

const names = processNames(COUNT);
const watched = names[0] ?? "";
await using manager = await BenchManager.up(
  Object.fromEntries(names.map((name) => [name, { command: ["sleep", "1000"], stop: { signal: "SIGKILL" } }])),
);
const client = await manager.connect();
const snapshot = await client.ask({ type: "get_snapshot" });
const process0 = (snapshot.processes as Frame[])[0];
let socket: WebSocket | undefined;
await using site = await BareSite.serve(PLAIN_ROWS, (ws) => {
  socket = ws;
  ws.on("message", () => ws.send(JSON.stringify(snapshot)));
});
const browser = await launchBrowser();
const row = `[role=treeitem][data-name="${watched}"]`;
const ours = await measure(
  // The group of the watched process is open, and its row is in sight.
  await newPage(browser, manager, { script: watch(row, `row.getAttribute("aria-label")`), settings: { folds: { "group 0": true } } }),
  httpOf(manager),
  row,
  (round) => client.send({ type: round % 2 === 0 ? "start_process" : "stop_process", name: watched }),
);
const plainRow = `[data-name="${watched}"]`;
const theirs = await measure(
  await newPage(browser, site.url, { script: watch(plainRow, "row.textContent") }),
  site.url,
  plainRow,
  (round) => socket?.send(JSON.stringify({ process: { ...process0, name: watched, state: round % 2 === 0 ? "started" : "stopped" } })),
);
await browser.close();

printFigure({
  figure: "page-paint",
  unit: `ms from a start or stop by another client until the page of ${COUNT} processes has painted the change, p50`,
  value: rounded(percentile(ours, 0.5), 1),
  p99: rounded(percentile(ours, 0.99), 1),
  worst: rounded(Math.max(...ours), 1),
  peer: `bare page with ${COUNT} plain rows that receives one changed row`,
  peer_value: rounded(percentile(theirs, 0.5), 1),
  peer_p99: rounded(percentile(theirs, 0.99), 1),
});
