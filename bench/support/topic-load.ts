// A publisher and a subscriber of one topic on bare sockets: as many messages as go through, or a paced few, each with the time that it took.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { linked, natsSocket, pong } from "./nats-socket.ts";

/** Published and not arrived yet: less than any server drops. */
const WINDOW_BYTES = 2 * 1024 * 1024;
const BLOCK_BYTES = 64 * 1024;
/** Digits at the beginning of a payload: the number of the message. */
const DIGITS = 8;

/** A NATS server, or a unix socket that relays from its second connection to its first. */
export type Way = { readonly port: number; readonly token?: string } | { readonly path: string };

export interface TopicQuestion {
  readonly way: Way;
  readonly size: number;
  readonly seconds: number;
  /** Messages a second; null: as many as go through. */
  readonly rate: number | null;
  /** Each message has the headers of the client libraries. */
  readonly withHeaders?: boolean;
  /** Where the subscriber is; left out: at the same server. */
  readonly to?: Way;
}
export interface TopicAnswer {
  /** That arrived, a second. */
  readonly rate: number;
  /** That arrived in all. */
  readonly messages: number;
  /** From publishing to arrival, milliseconds each; empty without a pace. */
  readonly delays: readonly number[];
}

interface Line {
  readonly publisher: Socket;
  readonly subscriber: Socket;
  /** Bytes before a payload and in a whole message, as it is published and as it is delivered. */
  readonly frame: (payload: string) => string;
  readonly before: number;
  readonly delivered: number;
}

process.on("message", async (question: TopicQuestion) => {
  const line = await open(question);
  const answer = await (question.rate === null ? flood(line, question) : pace(line, question.rate, question));
  line.publisher.destroy();
  line.subscriber.destroy();
  await Promise.all([line.publisher, line.subscriber].map((socket) => socket.closed || once(socket, "close")));
  process.send?.(answer satisfies TopicAnswer);
});
process.on("disconnect", () => process.exit());
process.send?.({});

async function open({ way, to = way, size, withHeaders = false }: TopicQuestion): Promise<Line> {
  if ("path" in way) {
    const subscriber = connect(way.path);
    await once(subscriber, "connect");
    const publisher = connect(way.path);
    await once(publisher, "connect");
    return { publisher, subscriber, frame: (payload) => payload, before: 0, delivered: size };
  }
  if ("path" in to) throw new Error("a topic needs a NATS server at both ends");
  const subject = "topic.bench.state";
  const subscriber = await natsSocket(to.port, to.token);
  const publisher = await natsSocket(way.port, way.token);
  subscriber.write(`SUB ${subject} 1\r\n`);
  await pong(subscriber);
  if (to !== way) await linked(publisher, subscriber);
  const headers = withHeaders ? "NATS/1.0\r\nMgr-Seq: 12345678\r\nMgr-Time: 1790000000123456789\r\n\r\n" : "";
  const sizes = withHeaders ? `${headers.length} ${headers.length + size}` : `${size}`;
  const before = `${withHeaders ? "H" : ""}MSG ${subject} 1 ${sizes}\r\n${headers}`.length;
  const frame = (payload: string) => `${withHeaders ? "H" : ""}PUB ${subject} ${sizes}\r\n${headers}${payload}\r\n`;
  return { publisher, subscriber, frame, before, delivered: before + size + 2 };
}

async function flood({ publisher, subscriber, frame, delivered }: Line, { size, seconds }: TopicQuestion): Promise<TopicAnswer> {
  const message = frame("x".repeat(size));
  const block = Buffer.from(message.repeat(Math.max(1, Math.floor(BLOCK_BYTES / message.length))));
  let [sent, received] = [0, 0];
  const go = () => {
    while (sent - (received / delivered) * message.length < WINDOW_BYTES && publisher.writable) {
      sent += block.length;
      if (!publisher.write(block)) return;
    }
  };
  subscriber.on("data", (chunk) => {
    received += chunk.length;
    if (publisher.writableLength === 0) go();
  });
  publisher.on("drain", go);
  go();
  // The first fifth warms up.
  await pause(seconds * 200);
  const [begin, before] = [performance.now(), received];
  await pause(seconds * 800);
  return { rate: (received - before) / delivered / ((performance.now() - begin) / 1_000), messages: received / delivered, delays: [] };
}

async function pace(
  { publisher, subscriber, frame, before, delivered }: Line,
  rate: number,
  { size, seconds }: TopicQuestion,
): Promise<TopicAnswer> {
  const sentAt: number[] = [];
  const delays: number[] = [];
  let rest: Buffer = Buffer.alloc(0);
  subscriber.on("data", (chunk: Buffer) => {
    const now = performance.now();
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (; rest.length - at >= delivered; at += delivered) {
      const number = Number(rest.toString("latin1", at + before, at + before + DIGITS));
      delays.push(now - (sentAt[number] ?? Number.NaN));
    }
    rest = rest.subarray(at);
  });
  const [begin, total] = [performance.now(), rate * seconds];
  while (sentAt.length < total) {
    const due = Math.min(total, ((performance.now() - begin) * rate) / 1_000);
    while (sentAt.length < due) {
      const payload = String(sentAt.length).padStart(DIGITS, "0").padEnd(size, "x");
      sentAt.push(performance.now());
      publisher.write(frame(payload));
    }
    await pause(1);
  }
  const end = performance.now() + 5_000;
  while (delays.length < total && performance.now() < end) await pause(5);
  if (delays.length < total) throw new Error(`${total - delays.length} of ${total} messages did not arrive`);
  return { rate, messages: total, delays };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
