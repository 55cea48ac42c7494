import type { Backlog } from "../actors/control.ts";
import type { HostSession } from "./host-session.ts";

/** Bytes asked for at a time: the contract's maximum. */
const PAGE_BYTES = 262_144;

/** The last `lines` lines of a process's ring as text, cut between characters at both ends. */
export async function readBacklog(session: HostSession, name: string, lines: number): Promise<Backlog> {
  const { link } = session;
  const tail = await session.command((id) => link.request("tail", { session: id, name, lines }));
  const decoder = new TextDecoder("utf-8");
  let output = "";
  let truncated = tail.truncated;
  let position = tail.from;
  while (position < tail.until) {
    const max = Math.min(PAGE_BYTES, tail.until - position);
    const from = position;
    const page = await session.command((id) => link.request("read", { session: id, name, from, max }));
    if (page.data.length === 0) break;
    if (page.from > position) {
      // The ring moved on while we read: what we have is older than the hole, so it goes.
      output = "";
      truncated = true;
      decoder.decode();
    }
    output += decoder.decode(withoutTornStart(page.data, output === ""), { stream: true });
    position = page.from + page.data.length;
  }
  output += decoder.decode();
  return { pid: tail.pid, output, truncated, offset: position, stream_id: tail.stream_id };
}

/** Drops UTF-8 continuation bytes (10xxxxxx) before the first whole character, at most three. */
function withoutTornStart(data: Uint8Array, isStart: boolean): Uint8Array {
  let skip = 0;
  while (isStart && skip < 3 && skip < data.length && ((data[skip] ?? 0) & 0xc0) === 0x80) skip++;
  return data.subarray(skip);
}
