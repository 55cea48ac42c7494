// Programs that use a bus as they should not, each for as long as its signal is not aborted.
import type { Socket } from "node:net";
import { sleep } from "./figure.ts";
import { natsSocket } from "./nats-socket.ts";

/** A connection that answers pings is not cut off for silence. */
const PONG_MS = 1_000;
const BLOCK_LINES = 200;

export type Attack = (port: number, signal: AbortSignal) => Promise<void>;

async function connected(port: number, name: string, signal: AbortSignal): Promise<Socket> {
  // A busy server may refuse a client that is late.
  const socket = await natsSocket(port, name).catch(() => null);
  if (signal.aborted) {
    socket?.destroy();
    throw new Error("the attack is over");
  }
  if (socket === null) return sleep(PONG_MS).then(() => connected(port, name, signal));
  socket.resume();
  const pongs = setInterval(() => socket.write("PONG\r\n"), PONG_MS);
  socket.on("close", () => clearInterval(pongs));
  signal.addEventListener("abort", () => socket.destroy());
  return socket;
}

/** Waits until the server reads. */
function send(socket: Socket, data: string | Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed || socket.write(data)) return resolve();
    const goOn = () => {
      socket.off("drain", goOn).off("close", goOn);
      resolve();
    };
    socket.on("drain", goOn).on("close", goOn);
  });
}

async function sendLines(socket: Socket, count: number, line: (n: number) => string): Promise<void> {
  for (let from = 0; from < count && !socket.destroyed; from += BLOCK_LINES)
    await send(socket, Array.from({ length: Math.min(BLOCK_LINES, count - from) }, (_, n) => `${line(from + n)}\r\n`).join(""));
}

/** Calls `act` so many times a second. */
async function paced(signal: AbortSignal, rate: number, act: (n: number) => Promise<void>): Promise<void> {
  const begin = performance.now();
  for (let done = 0; !signal.aborted; await sleep(2))
    for (const due = ((performance.now() - begin) * rate) / 1_000; done < due && !signal.aborted; done++) await act(done);
}

const publication = (subject: string, payload: string) => `PUB ${subject} ${payload.length}\r\n${payload}\r\n`;

/** 6,000 subscriptions of 4 KB and 2,000 tokens, again and again. */
const fatSubjects: Attack = async (port, signal) => {
  const fat = Array(1_995).fill("a").join(".");
  while (!signal.aborted) {
    const socket = await connected(port, "fat-subjects", signal);
    await sendLines(socket, 6_000, (n) => `SUB x${n}.${fat} ${n}`);
    await sleep(500);
    socket.destroy();
  }
};

const queueGroup: Attack = async (port, signal) => {
  const members = await connected(port, "queue-group", signal);
  await sendLines(members, 20_000, (n) => `SUB work q ${n}`);
  const publisher = await connected(port, "queue-group", signal);
  await paced(signal, 100, () => send(publisher, publication("work", "x")));
};

/** And messages to some of them. */
const subscriptions: Attack = async (port, signal) => {
  while (!signal.aborted) {
    const socket = await connected(port, "subscriptions", signal);
    await sendLines(socket, 50_000, (n) => `SUB ${n % 2 ? `attack.${n}` : "attack.all"} ${n}`);
    await send(socket, publication("attack.all", "x"));
    await sleep(500);
    socket.destroy();
  }
};

/** 150 that read nothing, and 10 MB/s for each of them. */
const stalled: Attack = async (port, signal) => {
  for (let n = 0; n < 150 && !signal.aborted; n++) {
    const socket = await connected(port, `stalled-${n}`, signal);
    socket.write("SUB flood 1\r\n");
    socket.pause();
  }
  const publisher = await connected(port, "flood", signal);
  const message = publication("flood", "x".repeat(100_000));
  await paced(signal, 100, () => send(publisher, message));
};

/** Registers topics with `keep_last` and publishes each once. */
async function keep(port: number, signal: AbortSignal, name: string, count: number, size: number): Promise<Socket> {
  const socket = await connected(port, name, signal);
  const topics = Array.from({ length: count }, (_, n) => ({ name: `${name}/t${n}`, keep_last: true, encoding: "raw" }));
  socket.write(`SUB _INBOX.${name} 1\r\n`);
  const request = JSON.stringify({ name, topics });
  socket.write(`PUB mgr.client.register _INBOX.${name} ${Buffer.byteLength(request)}\r\n${request}\r\n`);
  const message = Buffer.from("x".repeat(size));
  await paced(signal, 250, async (n) => {
    await send(socket, `PUB topic.${name}.t${n % count} ${size}\r\n`);
    await send(socket, message);
    await send(socket, "\r\n");
  });
  return socket;
}

const keptTopics: Attack = async (port, signal) => {
  await keep(port, signal, "kept", 1_000, 900_000);
};

/** Five that read what is kept of 1,000 topics of 20 KB, again and again. */
const keptReaders: Attack = async (port, signal) => {
  const readers = Array.from({ length: 5 }, async (_, n) => {
    while (!signal.aborted) {
      const socket = await connected(port, `reader-${n}`, signal);
      socket.write("SUB topic.offer.> 1\r\n");
      await sleep(1_000);
      socket.destroy();
    }
  });
  await Promise.all([keep(port, signal, "offer", 1_000, 20_000), ...readers]);
};

/** A topic of 4 MB/s with a reader that takes 1 MB/s, and one that takes all. */
const fatTopic: Attack = async (port, signal) => {
  const fast = await connected(port, "fat-fast", signal);
  const slow = await connected(port, "fat-slow", signal);
  for (const socket of [fast, slow]) socket.write("SUB topic.fat 1\r\n");
  slow.on("data", ({ length }) => {
    slow.pause();
    setTimeout(() => slow.resume(), length / 1_000);
  });
  const publisher = await connected(port, "fat-publisher", signal);
  const message = publication("topic.fat", "x".repeat(20_000));
  await paced(signal, 200, () => send(publisher, message));
};

/** Attacks that also apply to a nats-server. */
export const COMMON = ["fat_subjects", "queue_group", "subscriptions", "stalled", "fat_topic"] as const;
export const ATTACKS = {
  fat_subjects: fatSubjects,
  queue_group: queueGroup,
  subscriptions,
  stalled,
  kept_topics: keptTopics,
  kept_readers: keptReaders,
  fat_topic: fatTopic,
} satisfies Record<string, Attack>;
export type AttackName = keyof typeof ATTACKS;
