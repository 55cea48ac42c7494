import { Server, Socket } from "node:net";
import type { HandedOver } from "../../../src/base/handed-over.ts";
import { libc, systemError } from "../../../src/daemon/native/libc.ts";

const dup = libc.func("int dup(int fd)") as (fd: number) => number;

/** A part that hands itself over, as a daemon does before it replaces its program. */
interface Leaving {
  quiet(): Promise<void>;
  handOver(): HandedOver;
}

/**
 * What the next program takes up: the state as it is after JSON, copies of the bytes, and descriptors of its own. The earlier part then
 * loses its sockets at once, as by an exec: bytes that it has not given to the kernel are never sent.
 */
export async function handedOver(part: Leaving): Promise<HandedOver> {
  await part.quiet();
  return exec(part);
}

/** Without the time to become quiet. */
export function exec(part: Pick<Leaving, "handOver">): HandedOver {
  const { state, descriptors, bytes } = part.handOver();
  const copies = Object.entries(descriptors).map(([name, fd]) => [name, duplicate(fd)] as const);
  forget(new Set(Object.values(descriptors)));
  return {
    state: JSON.parse(JSON.stringify(state)),
    descriptors: Object.fromEntries(copies),
    bytes: Object.fromEntries(Object.entries(bytes).map(([name, piece]) => [name, Uint8Array.from(piece)])),
  };
}

function duplicate(fd: number): number {
  const copy = dup(fd);
  if (copy === -1) throw systemError("dup");
  return copy;
}

/**
 * Closes the sockets among these descriptors without a word to their other ends: the duplicates keep the connections open. Files stay open in
 * the earlier part too, which does nothing with them.
 */
function forget(descriptors: ReadonlySet<number>): void {
  const handles = (process as unknown as { _getActiveHandles(): object[] })._getActiveHandles();
  for (const handle of handles) {
    const { _handle: own } = handle as { _handle?: { fd?: number } | null };
    const fd = own?.fd ?? -1;
    if (!descriptors.has(fd)) continue;
    if (handle instanceof Socket) handle.destroy();
    else if (handle instanceof Server) handle.close();
  }
}
