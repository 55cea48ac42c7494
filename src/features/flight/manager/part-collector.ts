import { open } from "node:fs/promises";
import type { HostSession } from "../../../app/hosts/host-session.ts";
import { MgrError } from "../../../base/errors.ts";
import { SerialQueue } from "../../../base/timing/serial-queue.ts";
import { MAX_PART_BYTES } from "../../../contract/pages.ts";

interface Collection {
  readonly session: HostSession;
  /** Id of the part. */
  readonly incident: string;
  /** Path of its copy, which continues where an earlier attempt ended. */
  readonly path: string;
  /** Most bytes of the part. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/**
 * Copies parts from the hosts, one at a time from each host, in pieces: hosts take turns, and other requests are served between the pieces. Rejects with
 * `host_unavailable` when the link is cut, `too_large`, `not_found`, and with errors of the system.
 */
export class PartCollector {
  readonly #queues = new Map<string, SerialQueue>();

  /** Resolves when the copy is complete and on disk. */
  collect(host: string, collection: Collection): Promise<void> {
    const queue = this.#queues.get(host) ?? new SerialQueue();
    this.#queues.set(host, queue);
    return queue.run(() => copy(collection));
  }
}

async function copy({ session, incident, path, maxBytes, signal }: Collection): Promise<void> {
  await using file = await open(path, "a", 0o600);
  let { size: at } = await file.stat();
  for (;;) {
    signal.throwIfAborted();
    const { size, data } = await session.command((id) =>
      session.link.request("flight_read", { session: id, incident, from: at, max: MAX_PART_BYTES }),
    );
    if (size > maxBytes) throw new MgrError("too_large", `it has ${size} bytes, more than the ${maxBytes} of 'max_size'`);
    await file.appendFile(data.subarray(0, Math.max(0, size - at)));
    at += data.length;
    if (at >= size) break;
    if (data.length === 0) throw new MgrError("internal", `its file ends after ${at} of ${size} bytes`);
  }
  await file.datasync();
}
