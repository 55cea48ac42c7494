import type { OutputReader } from "../../actors/control.ts";
import type { HostSession } from "../hosts/host-session.ts";
import { ringParts } from "./ring-parts.ts";

/** Finds out what output the host keeps of a process; the bytes are read when they are needed. */
export async function openOutput(session: HostSession, name: string): Promise<OutputReader> {
  const { link } = session;
  const { until, stream_id } = await session.command((id) => link.request("tail", { session: id, name, lines: 1 }));
  // Reading from 0 answers with the offset of the oldest byte that is still there.
  const oldest = await session.command((id) => link.request("read", { session: id, name, from: 0, max: 0 }));
  return {
    streamId: stream_id,
    start: Math.min(oldest.from, until),
    end: until,
    parts: (from, end) => ringParts(session, name, from, end),
  };
}
