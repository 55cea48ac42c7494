import { readdirSync, rmSync } from "node:fs";
import { mkdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { resolvesWithin } from "../../../base/timing/wait.ts";
import { isMissing } from "../../../files/state-file.ts";
import type { RingStore } from "../ring-store.ts";
import { type FoundSegment, KeptFile, type KeptFileState, keptFileState, readSegment } from "./kept-file.ts";

/** Default limits of kept output for a process and for a host, bytes. */
const MAX_NAME_BYTES = 8 * 1024 * 1024;
const MAX_HOST_BYTES = 256 * 1024 * 1024;
/** Minimum size limit of a segment, bytes, however many processes share the host's limit. */
const MIN_SEGMENT_BYTES = 16 * 1024;
/** Time limit for a write in progress before the program is replaced, milliseconds. */
const QUIET_MS = 2_000;
/** Writing may use at most one part in this many of the time. */
const REST_SHARE = 5;

interface OutputKeeperOptions {
  /** Private folder; made if it is missing. */
  folder: string;
  rings: RingStore;
  /** Minimum time between two write passes, milliseconds. */
  intervalMs: number;
  /** Maximum number of bytes written in one pass; unlimited if left out. */
  maxPassBytes?: number;
  maxNameBytes?: number;
  maxHostBytes?: number;
  log: (msg: string) => void;
}

/** Output of one process, found in the files of an earlier daemon. */
export interface FoundOutput {
  readonly name: string;
  readonly data: Buffer;
  /** Time of the last write, milliseconds since 1970. */
  readonly time: number;
}

export const outputKeeperState = z.object({
  files: z.array(z.tuple([z.string(), keptFileState])),
  outdated: z.array(z.string()),
  /** Names with output that is not written. */
  grown: z.array(z.string()),
});
type OutputKeeperState = z.infer<typeof outputKeeperState>;

/**
 * Keeps the newest output of processes in files of a folder, for the next daemon (docs/decisions/0059). The rings serve as its queue: it
 * writes their content, one file after the other, and marks output that a ring has already dropped as a gap.
 */
export class OutputKeeper {
  readonly #options: OutputKeeperOptions;
  readonly #maxNameBytes: number;
  readonly #maxHostBytes: number;
  readonly #files = new Map<string, KeptFile>();
  /** Files whose content was not restored: the next write replaces it with the ring's content. */
  readonly #outdated = new Set<string>();
  readonly #grown = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #pass: Promise<void> | null = null;
  #earliest = 0;
  #isClosed = false;
  #isQuiet = false;
  /** Size of all files, bytes. */
  #bytes = 0;
  #problem = "";

  constructor(options: OutputKeeperOptions) {
    this.#options = options;
    this.#maxNameBytes = options.maxNameBytes ?? MAX_NAME_BYTES;
    this.#maxHostBytes = options.maxHostBytes ?? MAX_HOST_BYTES;
  }

  /** Takes over the files of the program before this one, instead of `find`. The rings have their output. */
  take({ files, outdated, grown }: OutputKeeperState): void {
    for (const [name, state] of files) {
      const file = KeptFile.take(this.#options.folder, name, state);
      this.#files.set(name, file);
      this.#bytes += file.bytes;
    }
    for (const name of outdated) this.#outdated.add(name);
    for (const name of grown) this.grown(name);
  }

  /** Writes nothing until `resume`. Rejects with `timeout` if a write does not end. */
  async quiet(): Promise<void> {
    this.#isQuiet = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (await resolvesWithin(this.#pass ?? Promise.resolve(), QUIET_MS)) return;
    throw new MgrError("timeout", `${this.#options.folder} does not accept writes`);
  }

  handOver(): OutputKeeperState {
    const files = [...this.#files].map(([name, file]): [string, KeptFileState] => [name, file.handOver()]);
    return { files, outdated: [...this.#outdated], grown: [...this.#grown] };
  }

  resume(): void {
    this.#isQuiet = false;
    const [next] = this.#grown;
    if (next !== undefined) this.grown(next);
  }

  /** Returns output of earlier daemons, the newest within the limits. Removes the rest, and files that cannot be read. */
  find(): FoundOutput[] {
    const segments = new Map<string, FoundSegment[]>();
    for (const fileName of this.#fileNames()) {
      const segment = this.#read(fileName);
      if (segment === null) rmSync(join(this.#options.folder, fileName), { force: true, recursive: true });
      else segments.set(segment.name, [...(segments.get(segment.name) ?? []), segment]);
    }
    const newest = [...segments].map(([name, found]) => ({ name, found, time: Math.max(...found.map(({ time }) => time)) }));
    newest.sort((a, b) => b.time - a.time);
    const outputs: FoundOutput[] = [];
    for (const { name, found, time } of newest) {
      found.sort((a, b) => a.number - b.number);
      const data = Buffer.concat(found.map((segment) => segment.data));
      this.#bytes += data.length;
      this.#files.set(name, new KeptFile({ folder: this.#options.folder, name, next: 0 }, found));
      if (this.#bytes <= this.#maxHostBytes) outputs.push({ name, data, time });
      else void this.forget(name);
    }
    return outputs;
  }

  /** Notes that the ring of `name` has the output found, up to the offset `next`; null: the ring has other output. */
  restored(name: string, next: number | null): void {
    const file = this.#files.get(name);
    if (file === undefined) return;
    file.next = next ?? this.#options.rings.find(name)?.start ?? 0;
    if (next === null) this.#outdated.add(name);
  }

  /** Keeps the output of `name` from now on. */
  begin(name: string): void {
    if (this.#files.has(name)) return;
    const { folder, rings } = this.#options;
    this.#files.set(name, new KeptFile({ folder, name, next: rings.find(name)?.start ?? rings.origin }));
    this.grown(name);
  }

  get names(): string[] {
    return [...this.#files.keys()];
  }

  /** Called when output of `name` was received. */
  grown(name: string): void {
    if (this.#isClosed || !this.#files.has(name)) return;
    this.#grown.add(name);
    if (this.#timer !== null || this.#pass !== null || this.#isQuiet) return;
    this.#timer = setTimeout(() => this.#begin(), Math.max(0, this.#earliest - performance.now()));
  }

  async forget(name: string): Promise<void> {
    const file = this.#files.get(name);
    this.#files.delete(name);
    this.#grown.delete(name);
    this.#outdated.delete(name);
    this.#bytes -= file?.bytes ?? 0;
    await file?.remove().catch((error: unknown) => this.#complain(error));
  }

  /** Records in the folder that the daemon is alive: its successor reads there when it ended. */
  async beat(): Promise<void> {
    const now = new Date();
    await utimes(this.#options.folder, now, now).catch((error: unknown) => this.#complain(error));
  }

  /** Ends writing: removes all files (`removes`), or writes the remaining output. */
  async close({ removes }: { removes: boolean }): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#pass;
    if (!removes) await this.#writeAll();
    else for (const name of this.names) await this.forget(name);
  }

  #begin(): void {
    this.#timer = null;
    const began = performance.now();
    this.#pass = this.#writeAll().then(() => {
      const took = performance.now() - began;
      this.#earliest = performance.now() + Math.max(this.#options.intervalMs, took * (REST_SHARE - 1));
      this.#pass = null;
      const [next] = this.#grown;
      if (next !== undefined) this.grown(next);
    });
  }

  async #writeAll(): Promise<void> {
    const names = [...this.#grown];
    this.#grown.clear();
    let left = this.#options.maxPassBytes ?? Number.POSITIVE_INFINITY;
    for (const [index, name] of names.entries()) {
      if (this.#isQuiet && !this.#isClosed) {
        // One write at most delays a replacement of the program. The rest waits for `resume`, or for the next program.
        for (const waiting of names.slice(index)) this.#grown.add(waiting);
        return;
      }
      try {
        left -= await this.#write(name, Math.floor(Math.min(this.#maxSegmentBytes, left / (names.length - index))));
      } catch (error) {
        await this.#failed(name, error);
      }
    }
  }

  /** Writes the newest output that is not in its file, at most `max` bytes. Returns their number. */
  async #write(name: string, max: number): Promise<number> {
    const ring = this.#options.rings.find(name);
    const file = this.#files.get(name);
    if (ring === undefined || file === undefined || max === 0) return 0;
    const end = ring.end;
    const { from, data } = ring.read(Math.max(file.next, end - max), max);
    // An empty or replaced file begins here, without a gap.
    const gap = this.#outdated.has(name) || file.bytes === 0 ? 0 : from - file.next;
    const bytes = gap > 0 ? Buffer.concat([gapMark(gap), data]) : data;
    const before = file.bytes;
    if (this.#outdated.delete(name)) await file.replace(bytes);
    else if (bytes.length > 0) await file.append(bytes, this.#maxSegmentBytes);
    file.next = end;
    this.#bytes += this.#files.get(name) === file ? file.bytes - before : 0;
    if (this.#bytes > this.#maxHostBytes) await this.#shrink();
    return bytes.length;
  }

  /** Maximum size of a segment, so that two of each process fit into the limits. */
  get #maxSegmentBytes(): number {
    const share = Math.max(MIN_SEGMENT_BYTES, Math.floor(this.#maxHostBytes / 2 / Math.max(1, this.#files.size)));
    return Math.min(Math.floor(this.#maxNameBytes / 2), share);
  }

  /** Shrinks files that were written when fewer processes shared the limit. */
  async #shrink(): Promise<void> {
    for (const file of [...this.#files.values()].sort((a, b) => b.bytes - a.bytes)) {
      const before = file.bytes;
      await file.shrink();
      this.#bytes += file.bytes - before;
      if (this.#bytes <= this.#maxHostBytes) return;
    }
  }

  async #failed(name: string, error: unknown): Promise<void> {
    const { folder, rings } = this.#options;
    // A session manager may remove runtime folders at any time. The ring still has the newest output.
    if (isMissing(error)) {
      await mkdir(folder, { recursive: true, mode: 0o700 }).catch((cause: unknown) => this.#complain(cause));
      const file = this.#files.get(name);
      this.#bytes -= file?.bytes ?? 0;
      file?.reset(rings.find(name)?.start ?? 0);
      this.#grown.add(name);
    } else this.#complain(error);
  }

  #complain(error: unknown): void {
    const problem = messageOf(error);
    if (problem !== this.#problem) this.#options.log(`output cannot be kept in ${this.#options.folder}: ${problem}`);
    this.#problem = problem;
  }

  #fileNames(): string[] {
    try {
      return readdirSync(this.#options.folder);
    } catch (error) {
      if (!isMissing(error)) this.#complain(error);
      return [];
    }
  }

  #read(fileName: string): FoundSegment | null {
    try {
      return readSegment(this.#options.folder, fileName, this.#maxNameBytes);
    } catch (error) {
      this.#complain(error);
      return null;
    }
  }
}

/** Line that marks a gap in the output. */
function gapMark(bytes: number): Buffer {
  return Buffer.from(`\r\n[mgr: ${bytes} bytes of output are not kept]\r\n`);
}
