import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { KeptRequests } from "../../../src/daemon/supervision/kept-requests.ts";
import { type RequestStore, requestFile } from "../../../src/daemon/supervision/request-store.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { supervised } from "../support/supervision-rig.ts";

const WANTED = { processes: [["a", true]] as [string, boolean][], is_first: true, start_rate: 2, on_boot: "resume" as const };
const RUN = { spec: supervised("a"), id: "1-7", report: { rows: 50, cols: 132 } };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-requested-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A host that keeps its requests in a folder; `open` is its next daemon. */
function hostIn(folder: string) {
  const path = join(folder, "requested.json");
  const log: string[] = [];
  const open = (more: { isResuming?: boolean; bootId?: string; store?: RequestStore } = {}) => {
    const requests = new KeptRequests({
      store: requestFile(path, { now: Date.now, log: (_level, msg) => log.push(msg) }),
      clock: new SimulatedClock(),
      bootId: "boot 1",
      log: (_level, msg) => log.push(msg),
      ...more,
    });
    return Object.assign(requests, { resumable: requests.begin() });
  };
  return { path, log, open };
}

async function keep(requests: KeptRequests): Promise<void> {
  requests.greeted(false);
  requests.startRequested("a");
  requests.began(RUN);
  requests.supervise(WANTED);
  await requests.close();
}

it("the next daemon finds specs with the size of the terminal, the next run ids and the limit of starts, and nobody else can read the file", async () => {
  const { path, open } = hostIn(folder);
  await keep(open());
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const next = open({ bootId: "boot 2" });
  const spec = { ...RUN.spec, terminal: { ...RUN.spec.terminal, rows: 50, cols: 132 } };
  expect(next.resumable).toEqual({ processes: [{ spec, runId: "1-7-1" }], after: "boot", startRate: 2 });
  await next.close();
  // Its run ids are used up, although it started nothing.
  const third = open({ bootId: "boot 2" });
  expect(third.resumable).toMatchObject({ processes: [{ runId: "1-7-2" }], after: "daemon" });
  await third.close();
});

it("--resume and --no-resume override the configuration", async () => {
  const { path, open } = hostIn(folder);
  const forced = open({ isResuming: true });
  forced.greeted(false);
  forced.began(RUN);
  forced.supervise({ ...WANTED, on_boot: "wait" });
  await forced.close();
  expect(open().resumable).toBeNull();
  expect(open({ isResuming: true }).resumable?.processes).toHaveLength(1);
  const refused = open({ isResuming: false });
  expect(refused.resumable).toBeNull();
  await keep(refused);
  expect(existsSync(path)).toBe(false);
});

const UNUSABLE = [
  {
    what: "of which only the first half was written",
    damage: (path: string) => truncateSync(path, statSync(path).size >> 1),
    says: /was damaged \(not JSON\)/,
  },
  { what: "of another format", damage: (path: string) => writeFileSync(path, '{"version": 9}'), says: /was damaged/ },
  { what: "that other users can write", damage: (path: string) => chmodSync(path, 0o666), says: /can be written by other users/ },
  {
    what: "that is too old",
    damage: (path: string) => utimesSync(path, 0, Date.now() / 1_000 - 25 * 3_600),
    says: /the last daemon ended 25 h ago/,
  },
  {
    what: "from the future",
    damage: (path: string) => utimesSync(path, 0, Date.now() / 1_000 + 3_600),
    says: /the clock of this machine is wrong/,
  },
];

it("a file that is damaged, untrusted or too old starts nothing, and the log says why", async () => {
  for (const { what, damage, says } of UNUSABLE) {
    const { path, log, open } = hostIn(mkdtempSync(join(folder, "host-")));
    await keep(open());
    damage(path);
    const next = open({ bootId: "boot 2" });
    expect(next.resumable, what).toBeNull();
    expect(log.join("\n"), what).toMatch(says);
    await next.close();
  }
});

it("an entry that is invalid is left out alone", async () => {
  const { path, log, open } = hostIn(folder);
  const first = open();
  first.began({ ...RUN, spec: supervised("b"), id: "1-8" });
  first.startRequested("b");
  await keep(first);
  first.supervise({ ...WANTED, processes: [["b", true]], is_first: false });
  await first.close();
  writeFileSync(path, readFileSync(path, "utf8").replace('"run_id":"1-7"', '"run_id":"seven"'));
  const next = open();
  expect(next.resumable?.processes.map(({ spec }) => spec.name)).toEqual(["b"]);
  expect(log.join("\n")).toMatch(/has 1 invalid entry, which is left out: processes\[\d\]\.run_id/);
  await next.close();
});

it("a stop that cannot be written removes the file, so that it is not undone", async () => {
  const { path, log, open } = hostIn(folder);
  await keep(open());
  const file = requestFile(path, { now: Date.now, log: () => {} });
  const full = open({ store: { ...file, write: () => Promise.reject(new Error("no space left")) } });
  full.stopRequested("a");
  await full.close();
  expect(log.join("\n")).toMatch(/cannot be kept for the next boot: no space left/);
  expect(readdirSync(folder)).toEqual([]);
});
