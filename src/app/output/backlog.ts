import type { Backlog, BacklogRange } from "../../actors/control.ts";
import { completeLength } from "../../base/text/character-cut.ts";
import { formatTime } from "../../protocol/time.ts";
import type { HostSession } from "../hosts/host-session.ts";
import { ringParts } from "./ring-parts.ts";

/**
 * Reads the last `lines` lines of a process's ring as text, only of the last `seconds` if given, cut between characters at both ends. `offset` is
 * the end of the text.
 */
export async function readBacklog(
  session: HostSession,
  name: string,
  { lines, seconds, times = false }: BacklogRange,
  now: () => number,
): Promise<Backlog> {
  const { link } = session;
  const age = seconds === undefined ? {} : { max_age_ms: seconds * 1_000 };
  const tail = await session.command((id) => link.request("tail", { session: id, name, lines, ...age, ...(times ? { ages: true } : {}) }));
  const written = tail.ages?.map(({ offset, age_ms }) => ({ offset, time: formatTime(now() - age_ms) }));
  const text = new TornText(tail.truncated || seconds !== undefined);
  let truncated = tail.truncated;
  let position = tail.from;
  for await (const { from, data } of ringParts(session, name, tail.from, tail.until)) {
    if (from > position) {
      // The ring dropped bytes meanwhile: the text before the gap is discarded.
      text.restart();
      truncated = true;
    }
    position = from + data.length;
    text.add(data);
  }
  return {
    pid: tail.pid,
    output: text.text,
    truncated,
    offset: position - text.rest,
    stream_id: tail.stream_id,
    ...(written === undefined ? {} : { times: written }),
    ...(tail.resized === undefined ? {} : { resized: tail.resized }),
  };
}

/** Text from pieces of bytes, which may begin and end within a character. */
class TornText {
  text = "";
  #isTorn: boolean;
  #rest: Uint8Array = new Uint8Array(0);
  /** A byte order mark is output like any other, at any place. */
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });

  constructor(isTorn: boolean) {
    this.#isTorn = isTorn;
  }

  /** Bytes of an incomplete character at the end, which are not in `text`. */
  get rest(): number {
    return this.#rest.length;
  }

  restart(): void {
    this.text = "";
    this.#rest = new Uint8Array(0);
    this.#isTorn = true;
  }

  add(data: Uint8Array): void {
    const start = this.#isTorn ? tornStart(data) : 0;
    this.#isTorn = false;
    const bytes = Buffer.concat([this.#rest, data.subarray(start)]);
    const complete = completeLength(bytes);
    this.text += this.#decoder.decode(bytes.subarray(0, complete));
    this.#rest = bytes.subarray(complete);
  }
}

/** UTF-8 continuation bytes (10xxxxxx) before the first whole character, at most three. */
function tornStart(data: Uint8Array): number {
  let skip = 0;
  while (skip < 3 && ((data[skip] ?? 0) & 0xc0) === 0x80) skip++;
  return skip;
}
