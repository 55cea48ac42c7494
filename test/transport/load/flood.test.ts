import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Host } from "../../../src/daemon/host.ts";
import { spec } from "../../daemon/support/hosts.ts";
import { type Client, startRig } from "../rig.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const NAME = "flood";
const HOST = "testhost";
const MEBIBYTE = 1024 * 1024;
const RING_BYTES = 32 * MEBIBYTE;
/** Far more than sockets and the ring hold. */
const WATCHED_BYTES = 96 * MEBIBYTE;

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Output frames as they came, added up without being kept. */
class Reader {
  bytes = 0;
  skipped = 0;
  /** What is wrong with the order of the stream. */
  readonly problems: string[] = [];
  #offset: number | null = null;

  constructor(client: Client) {
    client.ws.removeAllListeners("message");
    client.ws.on("message", (data) => this.#add(JSON.parse(String(data))));
  }

  #add(frame: { type: string; output: string; offset: number; skipped?: number }): void {
    if (frame.type !== "process_output") return;
    const skipped = frame.skipped ?? 0;
    const start = frame.offset - frame.output.length - skipped;
    if (this.#offset !== null && start !== this.#offset) this.problems.push(`${start} after ${this.#offset}`);
    this.#offset = frame.offset;
    this.bytes += frame.output.length;
    this.skipped += skipped;
  }
}

// Host, terminal, hub, sockets: everything is real, and all of it, with the clients, on one thread.
describe("a slow, a never-reading and a fast subscriber of a process that floods", () => {
  let host: Host;
  let rig: Awaited<ReturnType<typeof startRig>>;
  let session = "";
  let beat: NodeJS.Timeout;

  beforeAll(async () => {
    host = new Host({ host: HOST, subreaper: false, log() {} });
    const hello = await host.request("hello", { epoch: 1, manager_pid: 1, contracts: [1] });
    session = hello.session;
    beat = setInterval(() => host.heartbeat(session), 1_000);
    rig = await startRig([NAME], { window: (_host, windows) => host.window({ session, windows }), hostOf: () => HOST });
    host.listen({ onOutput: (chunk) => rig.hub.receive(HOST, chunk) });
    rig.hub.hostReady(HOST, hello.stream_id);
    const terminal = { rows: 24, cols: 80, backlog: RING_BYTES };
    await host.request("spawn", { session, run_id: "1-1", spec: spec(NAME, `exec yes ${"x".repeat(100)}`, { terminal }), memo: "" });
  });
  afterAll(async () => {
    clearInterval(beat);
    await rig[Symbol.asyncDispose]();
    await host.close();
  });

  const written = async () => (await host.request("tail", { session, name: NAME, lines: 1 })).until;
  async function subscriber(): Promise<Client> {
    const client = await rig.connect();
    await client.ask({ type: "subscribe_process_output", patterns: [NAME] });
    return client;
  }
  it("do not hold it back, the fast one gets every byte in order, others are answered, and the memory stays where it was", async () => {
    // The ring is full: what fills it is no growth.
    while ((await written()) < 2 * RING_BYTES) await sleep(20);
    const before = process.memoryUsage();
    const begin = await written();
    const fast = new Reader(await subscriber());
    const slow = await subscriber();
    const slowly = new Reader(slow);
    slow.ws.pause();
    const trickle = setInterval(() => {
      slow.ws.resume();
      setImmediate(() => slow.ws.pause());
    }, 300);
    const never = await subscriber();
    never.ws.pause();

    const asking = await rig.connect();
    /** Bytes that the process wrote while a question waited for its answer. */
    const waits: number[] = [];
    let now = begin;
    try {
      while (now < begin + WATCHED_BYTES) {
        await asking.ask({ type: "get_snapshot" });
        const then = now;
        now = await written();
        waits.push(now - then);
        await sleep(5);
      }
    } finally {
      clearInterval(trickle);
    }
    // What nobody holds is no growth.
    collectGarbage();
    const after = process.memoryUsage();

    expect(fast.problems).toEqual([]);
    expect(fast.skipped, "bytes that the fast one missed").toBe(0);
    expect(fast.bytes).toBeGreaterThan(WATCHED_BYTES / 2);
    expect(slowly.problems).toEqual([]);
    expect(slowly.bytes).toBeLessThanOrEqual(fast.bytes);
    expect(after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers).toBeLessThan(64 * MEBIBYTE);
    expect(after.rss - before.rss, "growth of the resident memory, clients included").toBeLessThan(128 * MEBIBYTE);
    expect(Math.max(...waits) / MEBIBYTE, "MiB that went by while somebody waited for an answer").toBeLessThan(16);
  });
});
