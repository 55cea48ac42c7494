// Pages in one process: WebSockets that ask for a snapshot, read every event, and note how late the marks in them are, so that a server
// is measured and not its clients. `page-load.ts URL AUTHORIZATION`
import { connect, type Socket } from "node:net";
import { textFrame, upgradeRequest } from "./upgrade-request.ts";
import { findMark, MARK_BYTES, markTime, microseconds } from "./upsert-marks.ts";

export interface PageLoadQuestion {
  /** Opens this many more pages, or closes down to it. */
  readonly pages?: number;
  /** Frames that each new page sends. */
  readonly hello?: readonly string[];
  /** Text in the last answer to them; absent: a page is complete when it is upgraded. */
  readonly until?: string;
  /** Forgets what was counted. */
  readonly clear?: boolean;
}

export interface PageLoadCount {
  /** Bytes and marks of all pages together. */
  readonly bytes: number;
  readonly marks: number;
  /** Marks of the page that received the fewest, and of the one that received the most. */
  readonly fewest: number;
  readonly most: number;
  /** Marks that came after a later one, or twice. */
  readonly disordered: number;
  /** How late they were, ms. */
  readonly late: { readonly p50: number; readonly p99: number; readonly worst: number };
}

/** Loopback addresses that the pages come from. */
const ADDRESSES = 8;
/** Pages that are opened at the same time: each is sent all processes. */
const OPENED_TOGETHER = 8;
const BINS_PER_MS = 10;
const BINS = 100_000;

const [, , target = "", authorization = ""] = process.argv;
const url = new URL(target);
const buffer = Buffer.allocUnsafe(256 * 1024);
const lateness = new Uint32Array(BINS);
let bytes = 0;
let disordered = 0;

/** A WebSocket without a library: the upgrade, its hello, then events. */
class Page {
  marks = 0;
  readonly #socket: Socket;
  #lastMark = 0;
  /** The end of the data before, in which a mark or an awaited text may begin. */
  #tail = Buffer.alloc(0);
  #awaited: { readonly text: string; readonly seen: () => void } | null = null;

  constructor(address: string) {
    const onread = { buffer, callback: (length: number) => this.#read(buffer.subarray(0, length)) };
    this.#socket = connect({ port: Number(url.port), host: url.hostname, localAddress: address, noDelay: true, onread });
    this.#socket.on("error", (error) => {
      throw error;
    });
  }

  async open({ hello = [], until }: PageLoadQuestion): Promise<void> {
    this.#socket.write(upgradeRequest(url, authorization));
    await this.#seen("101 Switching Protocols");
    for (const frame of hello) this.#socket.write(textFrame(frame));
    if (until !== undefined) await this.#seen(until);
  }

  close(): void {
    this.#socket.destroy();
  }

  #seen(text: string): Promise<void> {
    return new Promise((seen) => {
      this.#awaited = { text, seen };
    });
  }

  #read(data: Buffer): boolean {
    bytes += data.length;
    const joint = Buffer.concat([this.#tail, data.subarray(0, MARK_BYTES)]);
    this.#note(joint, this.#tail.length);
    this.#note(data, data.length);
    this.#tail = Buffer.from(data.subarray(Math.max(0, data.length - MARK_BYTES + 1)));
    if (this.#awaited !== null && (joint.includes(this.#awaited.text) || data.includes(this.#awaited.text))) this.#awaited.seen();
    return true;
  }

  /** Counts the marks that begin before `end`. */
  #note(data: Buffer, end: number): void {
    for (let at = findMark(data); at >= 0 && at < end; at = findMark(data, at + MARK_BYTES)) {
      const made = markTime(data, at);
      if (made <= this.#lastMark) disordered++;
      this.#lastMark = made;
      this.marks++;
      const bin = Math.min(BINS - 1, Math.max(0, Math.floor(((microseconds() - made) * BINS_PER_MS) / 1_000)));
      lateness[bin] = (lateness[bin] ?? 0) + 1;
    }
  }
}

const pages: Page[] = [];

process.on("message", (question: PageLoadQuestion) => {
  adjust(question)
    .then(() => process.send?.(count()))
    .catch((error: unknown) => {
      throw error;
    });
});
process.on("disconnect", () => process.exit());
process.send?.({});

async function adjust({ pages: wanted = pages.length, clear = false, ...opening }: PageLoadQuestion): Promise<void> {
  if (clear) forget();
  for (const page of pages.splice(wanted)) page.close();
  while (pages.length < wanted) {
    const some = Array.from({ length: Math.min(OPENED_TOGETHER, wanted - pages.length) }, (_, index) => {
      return new Page(`127.0.0.${2 + ((pages.length + index) % ADDRESSES)}`);
    });
    pages.push(...some);
    await Promise.all(some.map((page) => page.open(opening)));
  }
}

function forget(): void {
  bytes = 0;
  disordered = 0;
  lateness.fill(0);
  for (const page of pages) page.marks = 0;
}

function count(): PageLoadCount {
  const marks = pages.map((page) => page.marks);
  const total = marks.reduce((sum, each) => sum + each, 0);
  return {
    bytes,
    marks: total,
    fewest: Math.min(...marks),
    most: Math.max(...marks),
    disordered,
    late: { p50: lateBy(total * 0.5), p99: lateBy(total * 0.99), worst: lateBy(total) },
  };
}

/** The lateness that this many marks do not exceed, ms. */
function lateBy(marks: number): number {
  let sum = 0;
  const bin = lateness.findIndex((each) => {
    sum += each;
    return sum >= marks;
  });
  return (bin + 1) / BINS_PER_MS;
}
