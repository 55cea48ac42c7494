import { readSync } from "node:fs";
import { messageOf } from "../../../../base/errors.ts";
import type { SearchStop } from "../../limits.ts";
import { type LineHit, LineSearch } from "./line-search.ts";
import { createMatcher } from "./matcher.ts";
import type { SearchJob, SearchReply, SearchSettings } from "./messages.ts";

const NEWLINE = 0x0a;
/** Hits are sent when they have this many bytes, and after each part of a file that has some. */
const BATCH_BYTES = 64 * 1024;

interface SearchThreadOptions {
  readonly settings: SearchSettings;
  readonly send: (reply: SearchReply) => void;
  /** Processor time so far, milliseconds. */
  readonly cpuMs: () => number;
}

/** Carries out the jobs of one search. */
export class SearchThread {
  readonly #options: SearchThreadOptions;
  readonly #lines: LineSearch;
  #hits: LineHit[] = [];
  #hitBytes = 0;
  #allBytes = 0;
  #searched = 0;
  #stop: SearchStop | null = null;

  /** Throws `PatternRefused`. */
  constructor(options: SearchThreadOptions) {
    this.#options = options;
    const { settings } = options;
    this.#lines = new LineSearch({
      matcher: createMatcher(settings),
      context: settings.context,
      onHit: (hit) => this.#found(hit),
    });
  }

  run(job: SearchJob): void {
    let problem: string | null = null;
    try {
      if (this.#stop === null) this.#do(job);
    } catch (error) {
      // The rest of a file that cannot be read is missing; what was read counts.
      problem = messageOf(error);
    }
    this.#flush();
    this.#options.send({ kind: "done", stop: this.#stop, problem });
  }

  #do(job: SearchJob): void {
    switch (job.kind) {
      case "begin":
        this.#lines.begin(job.position);
        this.#lines.hitsLeft = job.limit;
        break;
      case "file":
        this.#file(job);
        break;
      case "bytes":
        this.#searched += job.bytes.length;
        this.#lines.write(job.bytes);
        this.#check();
        break;
      case "gap":
        this.#lines.skip(job.bytes);
        break;
      case "end":
        this.#lines.end();
        this.#check();
    }
  }

  #file({ fd, from, until, isTorn }: Extract<SearchJob, { kind: "file" }>): void {
    let at = from;
    try {
      let skips = isTorn;
      while (at < until && this.#stop === null) {
        const room = this.#lines.room;
        const read = readSync(fd, room, 0, Math.min(room.length, until - at), at);
        // Another program has cut the file.
        if (read === 0) break;
        at += read;
        this.#searched += read;
        if (skips) skips = this.#skipLine(room.subarray(0, read));
        else this.#lines.filled(read);
        this.#check();
      }
    } finally {
      if (at < until && this.#stop === null) this.#lines.skip(until - at);
    }
  }

  /** Leaves out bytes up to the first line end; returns whether there was none. */
  #skipLine(bytes: Buffer): boolean {
    const end = bytes.indexOf(NEWLINE) + 1;
    if (end === 0) {
      this.#lines.skip(bytes.length);
      return true;
    }
    const rest = Buffer.from(bytes.subarray(end));
    this.#lines.skip(end);
    this.#lines.write(rest);
    return false;
  }

  #found(hit: LineHit): void {
    const bytes = Buffer.byteLength(JSON.stringify(hit));
    this.#hits.push(hit);
    this.#hitBytes += bytes;
    this.#allBytes += bytes;
    if (this.#allBytes > this.#options.settings.maxBytes) this.#lines.hitsLeft = 0;
    if (this.#hitBytes >= BATCH_BYTES) this.#flush();
  }

  #check(): void {
    this.#flush();
    const { maxBytes, cpuMs } = this.#options.settings;
    if (this.#allBytes > maxBytes) this.#stop = "size";
    else if (this.#lines.hitsLeft <= 0) this.#stop = "hits";
    else if (this.#options.cpuMs() >= cpuMs) this.#stop = "cpu_time";
    if (this.#stop === null) return;
    // Hits that wait for the lines after them are complete as they are.
    this.#lines.hitsLeft = 0;
    this.#lines.end();
    this.#flush();
  }

  #flush(): void {
    if (this.#hits.length === 0 && this.#searched === 0) return;
    this.#options.send({ kind: "found", hits: this.#hits, bytes: this.#searched });
    this.#hits = [];
    this.#hitBytes = 0;
    this.#searched = 0;
  }
}
