import type { OutputReader } from "../../../actors/control.ts";
import { messageOf } from "../../../base/errors.ts";
import { PlainTextFilter } from "../../../base/patterns/output-filter.ts";
import { visible } from "../../../base/text/visible-text.ts";

/** `text`: without escape sequences, with the line ends of text files; `raw`: as the process wrote it. */
export const OUTPUT_FORMATS = ["text", "raw"] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** The part of the output that is read, as offsets. */
export interface OutputRange {
  readonly begin: number;
  readonly end: number;
}

/**
 * The bytes of a download, read of the host when they are needed. Bytes that are no longer kept are not skipped silently: a note in the text says
 * how many are missing, also where the host is lost meanwhile.
 */
export async function* outputBytes(reader: OutputReader, { begin, end }: OutputRange, format: OutputFormat): AsyncGenerator<Uint8Array> {
  const converter = format === "text" ? new TextConverter() : RAW;
  let position = begin;
  const missing = (until: number, why: string) => {
    const bytes = (until - position).toLocaleString("en-US");
    return Buffer.concat([converter.end(), note(`${bytes} bytes are not here: ${why}`)]);
  };
  try {
    for await (const part of reader.parts(begin, end)) {
      if (part.data.length === 0) break;
      const from = Math.min(part.from, end);
      if (from > position) {
        const isOld = from <= reader.start;
        yield missing(from, isOld ? "newer output had taken their place" : "newer output took their place while this file was written");
      }
      const data = part.data.subarray(0, end - from);
      position = from + data.length;
      const bytes = converter.write(data);
      if (bytes.length > 0) yield bytes;
    }
    if (position < end) yield missing(end, "they are no longer kept");
    else yield converter.end();
  } catch (error) {
    yield Buffer.concat([converter.end(), note(`the rest could not be read: ${messageOf(error)}`)]);
  }
}

/** A line in a downloaded file that no process wrote. */
export function note(text: string): Uint8Array {
  return Buffer.from(`\n[mgr: ${visible(text)}]\n`);
}

interface Converter {
  write(data: Uint8Array): Uint8Array;
  end(): Uint8Array;
}

const NOTHING = new Uint8Array(0);
const RAW: Converter = { write: (data) => data, end: () => NOTHING };

/** Converts terminal output to text, piece by piece. */
class TextConverter implements Converter {
  #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #filter = new PlainTextFilter();
  /** Whether a CR waits for the character after it: before LF it belongs to the line end. */
  #hasReturn = false;

  write(data: Uint8Array): Uint8Array {
    return this.#encoded(this.#filter.write(this.#decoder.decode(data, { stream: true })));
  }

  end(): Uint8Array {
    const rest = this.#encoded(this.#filter.write(this.#decoder.decode()) + this.#filter.end());
    const last = this.#hasReturn ? Buffer.from("\r") : NOTHING;
    this.#hasReturn = false;
    this.#decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    this.#filter = new PlainTextFilter();
    return Buffer.concat([rest, last]);
  }

  #encoded(filtered: string): Uint8Array {
    if (filtered === "") return NOTHING;
    const text = this.#hasReturn ? `\r${filtered}` : filtered;
    this.#hasReturn = text.endsWith("\r");
    return Buffer.from((this.#hasReturn ? text.slice(0, -1) : text).replaceAll("\r\n", "\n"));
  }
}
