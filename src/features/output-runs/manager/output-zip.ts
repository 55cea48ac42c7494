import { once } from "node:events";
import { PassThrough, Readable } from "node:stream";

/** One file of a zip: its path, and its bytes, which are read when it is their turn. */
export interface ZipFile {
  readonly path: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Bytes that archiver holds at most between two of its streams. */
const HELD_BYTES = 256 * 1024;

/** The bytes of a zip, created only as fast as they are read, with one file at a time. Ending the generator early ends what creates them. */
export async function* zipBytes(files: AsyncIterable<ZipFile>): AsyncGenerator<Uint8Array> {
  // Loaded on demand: half a megabyte of code that few managers ever need.
  const { ZipArchive } = await import("archiver");
  // zip64, because the sizes are not known in advance and may exceed 4 GiB.
  const zip = new ZipArchive({ forceZip64: true, zlib: { level: 6 }, highWaterMark: HELD_BYTES });
  const written = new PassThrough({ highWaterMark: HELD_BYTES });
  const ended = new AbortController();
  let source: Readable | null = null;
  const fail = (error: unknown) => written.destroy(error instanceof Error ? error : new Error(String(error)));
  zip.on("error", fail);
  zip.on("warning", fail);
  zip.pipe(written);
  const fill = async () => {
    for await (const { path, bytes } of files) {
      const added = once(zip, "entry", { signal: ended.signal });
      source = Readable.from(bytes, { objectMode: false });
      source.once("error", fail);
      zip.append(source, { name: path, date: new Date(), mode: 0o600 });
      await added;
    }
    await zip.finalize();
  };
  const filling = fill().catch((error: unknown) => {
    if (!ended.signal.aborted) fail(error);
  });
  try {
    yield* written as AsyncIterable<Buffer>;
    await filling;
  } finally {
    ended.abort();
    // Neither `abort` nor `destroy` of the archive: it is no longer written or read (docs/design/library-defects.md, "Archives").
    zip.unpipe(written);
    written.destroy();
    (source as Readable | null)?.destroy();
  }
}

/** Maximum length of a segment of a path, bytes: file names have at most 255, and an ending is added. */
const MAX_SEGMENT_BYTES = 200;

/** Gives each process a path of its own in a zip. */
export class ZipPaths {
  readonly #used = new Set<string>();
  readonly #folder: string;
  readonly #ending: string;

  constructor(folder: string, ending: string) {
    this.#folder = pathSegment(folder);
    this.#ending = ending;
  }

  /**
   * The path of a process: `/` in its name separates folders. No path leads out of the zip, whatever the name is, and none is that of another
   * process, also where names differ only in case or in what is cut or replaced.
   */
  of(name: string): string {
    const segments = name.split("/");
    const path = segments.map((segment, index) =>
      pathSegment(index < segments.length - 1 ? folderSegment(segment, this.#ending) : segment),
    );
    const whole = [this.#folder, ...path].join("/");
    let unique = whole;
    for (let copy = 2; this.#used.has(key(unique)); copy++) unique = `${whole}~${copy}`;
    this.#used.add(key(unique));
    return unique + this.#ending;
  }
}

/** File systems may treat names as equal that differ in case, or in how their characters are composed. */
const key = (path: string) => path.normalize("NFC").toLowerCase();

/** A folder whose name ends like a file could be in the place of another process's file. */
const folderSegment = (segment: string, ending: string) =>
  segment.toLowerCase().endsWith(ending) ? `${segment.slice(0, -ending.length)}%2E${segment.slice(1 - ending.length)}` : segment;

/** Replaces characters that paths of some system cannot contain, and names that mean another folder. */
function pathSegment(segment: string): string {
  const safe = segment
    .replace(/[%/\\:*?"<>|\p{C}]/gu, escaped)
    .replace(/^\.+$|[. ]+$/, (characters) => [...characters].map(escaped).join(""));
  let short = safe === "" ? "_" : safe;
  // A long name is cut at the end: its beginning is enough to recognize it.
  while (Buffer.byteLength(short) > MAX_SEGMENT_BYTES) short = [...short].slice(0, -1).join("");
  return short;
}

const escaped = (character: string) => `%${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, "0")}`;
