import { z } from "zod";
import { BorrowedMessage } from "../borrowed-message.ts";
import type { Subscriber } from "../broker-subscriber.ts";
import type { FairQueue } from "../queues/fair-queue.ts";
import { ownTime, systemTime } from "./system-time.ts";

/** Bytes of a message in the table: its size, the size of its payload (u32), and the time of queueing (f64, `systemTime`). */
const ROW_BYTES = 16;
const LF = 10;

/** The messages of one publisher and subject in a queue. */
const handedFlow = z.object({
  publisher: z.int(),
  /** `fairKey` of the publisher. */
  key: z.union([z.string(), z.number()]),
  isOrdered: z.boolean(),
  subject: z.string(),
  count: z.int().min(0),
});
export const handedFlows = z.array(handedFlow);
export type HandedFlow = z.infer<typeof handedFlow>;

/** The queued messages, flow by flow: the table of all messages, then their bytes as they are sent. */
export function queueToHand(queue: FairQueue): { readonly flows: HandedFlow[]; readonly bytes: Buffer } {
  const table = Buffer.alloc(queue.count * ROW_BYTES);
  const pieces: Buffer[] = [table];
  const flows: HandedFlow[] = [];
  let row = 0;
  for (const { publisher, subject, queue: messages } of queue.flows()) {
    const { id, fairKey: key, isOrdered } = publisher;
    flows.push({ publisher: id, key, isOrdered, subject, count: messages.count });
    for (const { bytes, size, payload, time } of messages.waiting()) {
      table.writeUInt32LE(size, row);
      table.writeUInt32LE(payload, row + 4);
      table.writeDoubleLE(systemTime(time), row + 8);
      row += ROW_BYTES;
      pieces.push(...bytes);
    }
  }
  return { flows, bytes: Buffer.concat(pieces) };
}

/** Queues the messages again. `publisherOf` returns their publisher, which may have disconnected. */
export function refillQueue(
  queue: FairQueue,
  flows: readonly HandedFlow[],
  given: Uint8Array,
  publisherOf: (flow: HandedFlow) => Subscriber,
): void {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.length);
  let row = 0;
  let at = flows.reduce((sum, { count }) => sum + count, 0) * ROW_BYTES;
  for (const flow of flows) {
    const publisher = publisherOf(flow);
    for (let left = flow.count; left > 0; left--) {
      const size = bytes.readUInt32LE(row);
      const payload = bytes.readUInt32LE(row + 4);
      const time = ownTime(bytes.readDoubleLE(row + 8));
      row += ROW_BYTES;
      // The head is kept apart from a message, which may be large.
      const body = bytes.indexOf(LF, at) + 1;
      const message = new BorrowedMessage().of(bytes, body, at + size - body);
      queue.add({ publisher, subject: flow.subject }, bytes.subarray(at, body), message, payload, time);
      at += size;
    }
  }
}
