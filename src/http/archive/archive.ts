import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Stats } from "node:fs";
import { Readable, type Writable } from "node:stream";
import { TarArchive } from "archiver";
import type { RetainedOutput } from "../../actors/control.ts";
import { messageOf } from "../../base/errors.ts";
import { stackOf } from "../log/http-log.ts";
import type { ArchivePart } from "./archive-part.ts";

/** Block of blanks that pads output which is shorter than announced. */
const BLANKS = Buffer.alloc(64 * 1024, " ");

export interface ArchiveOptions {
  /** Top folder in the archive. */
  readonly folder: string;
  readonly parts: AsyncIterable<ArchivePart>;
  /** Called when nothing more will be read from the archive. */
  readonly onClosed: () => void;
  /** Called when the archive ends before it is complete, so that the reader does not mistake it for complete. */
  readonly onBroken: () => void;
  readonly onDefect: (text: string) => void;
}

/**
 * A `.tar.bz2` that is being created: archiver's tar through the system's bzip2 (docs/design/library-defects.md, "Archives"). It is created
 * only as fast as it is read, with one part at a time in memory.
 */
export class Archive {
  readonly #options: ArchiveOptions;
  readonly #bzip2: ChildProcessByStdio<Writable, Readable, null>;
  readonly #tar = new TarArchive({ highWaterMark: 256 * 1024 });
  /** The output that is currently read. */
  #source: Readable | null = null;
  #isClosed = false;

  /** Rejects if bzip2 is missing. */
  static async open(options: ArchiveOptions): Promise<Archive> {
    // bzip2 reads options from its environment; it gets none.
    const bzip2 = spawn("bzip2", ["-9", "-c"], { stdio: ["pipe", "pipe", "ignore"], env: { PATH: process.env.PATH ?? "" } });
    await once(bzip2, "spawn");
    return new Archive(options, bzip2);
  }

  private constructor(options: ArchiveOptions, bzip2: ChildProcessByStdio<Writable, Readable, null>) {
    this.#options = options;
    this.#bzip2 = bzip2;
    bzip2.on("error", (error) => this.#fail(error));
    bzip2.stdin.on("error", (error) => this.#fail(error));
    this.#tar.on("error", (error) => this.#fail(error));
    this.#tar.on("warning", (error) => this.#fail(error));
    this.#tar.pipe(bzip2.stdin);
    void this.#fill().catch((error: unknown) => this.#fail(error));
  }

  readable(): ReadableStream<Uint8Array> {
    const ended = once(this.#bzip2, "close");
    const pieces = this.#bzip2.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    // Pull-based and without a queue of its own: an eager stream was measured to buffer 105 MB (docs/design/library-defects.md, "HTTP, TLS
    // and WebSocket").
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const piece = await pieces.next();
          if (!piece.done) return controller.enqueue(piece.value);
          const [code] = await ended;
          const isWhole = code === 0 && !this.#isClosed;
          this.close();
          if (isWhole) controller.close();
          else this.#options.onBroken();
        },
        cancel: () => this.close(),
      },
      { highWaterMark: 0 },
    );
  }

  /** Ends the streams and the program that create the archive. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // Neither `abort` nor `destroy`: for a tar both throw in a later turn (archiver 8.0.0). It is no longer written or read.
    this.#source?.destroy();
    this.#tar.unpipe();
    this.#bzip2.stdin.destroy();
    this.#bzip2.kill("SIGKILL");
    this.#options.onClosed();
  }

  async #fill(): Promise<void> {
    const { folder, parts } = this.#options;
    for await (const { name, content } of parts) {
      if (this.#isClosed) return;
      const accepted = once(this.#tar, "entry");
      this.#append(`${folder}/${name}`, content);
      await accepted;
    }
    await this.#tar.finalize();
  }

  #append(name: string, content: string | RetainedOutput): void {
    const entry = { name, date: new Date(), mode: 0o600 };
    if (typeof content === "string") this.#tar.append(Buffer.from(content), entry);
    // archiver buffers a stream in memory unless it knows its size, which it reads from `stats`.
    else {
      this.#source = Readable.from(exactly(content));
      this.#tar.append(this.#source, { ...entry, stats: { size: content.size } as Stats });
    }
  }

  #fail(error: unknown): void {
    if (this.#isClosed) return;
    this.#options.onDefect(`an archive could not be finished: ${stackOf(error)}`);
    this.close();
  }
}

/** A tar states the size of a file before its content: shorter content is reported, and padded with blanks. */
async function* exactly({ size, pages }: RetainedOutput): AsyncGenerator<Uint8Array> {
  let left = size;
  let reason = "";
  try {
    for await (const page of pages) {
      const piece = page.subarray(0, left);
      left -= piece.length;
      if (piece.length > 0) yield piece;
      if (left === 0) return;
    }
  } catch (error) {
    reason = messageOf(error);
  }
  const note = Buffer.from(`\n[the rest could not be read: ${reason}]\n`).subarray(0, left);
  if (note.length > 0) yield note;
  for (let blanks = left - note.length; blanks > 0; blanks -= BLANKS.length) yield BLANKS.subarray(0, Math.min(blanks, BLANKS.length));
}
