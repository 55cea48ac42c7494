// Viewers in one process: each subscribes to all topics of the benchmark that are advertised, counts messages, and one of them measures how old they are.
import { once } from "node:events";
import { WebSocket } from "ws";
import { ageMs } from "./stamped-payload.ts";

export interface ViewersQuestion {
  /** Opens viewers of this address, or closes all of them. */
  readonly open?: { readonly url: string; readonly count: number; readonly topics: number } | null;
}

export interface ViewersCount {
  readonly messages: number;
  /** Age of the messages of one viewer since the last question, milliseconds. */
  readonly ages: readonly number[];
}

const HEADER_BYTES = 13;
let viewers: WebSocket[] = [];
let messages = 0;
let ages: number[] = [];

/** `topics`: number of topics that are waited for; 0: the server sends without a subscription. */
async function view(url: string, topics: number, isMeasured: boolean): Promise<WebSocket> {
  const ws = new WebSocket(url, topics === 0 ? [] : ["foxglove.sdk.v1"], { perMessageDeflate: false });
  const subscriptions: { id: number; channelId: number }[] = [];
  const subscribed = new Promise<void>((resolve) => {
    ws.on("message", (data: Buffer, isBinary) => {
      if (isBinary) {
        messages++;
        if (isMeasured) ages.push(ageMs(data, HEADER_BYTES));
        return;
      }
      const { op, channels = [] } = JSON.parse(data.toString()) as { op: string; channels?: { id: number; topic: string }[] };
      if (op !== "advertise") return;
      const added = channels.filter(({ topic }) => topic.startsWith("bench/")).map(({ id }) => ({ id, channelId: id }));
      subscriptions.push(...added);
      ws.send(JSON.stringify({ op: "subscribe", subscriptions: added }));
      if (subscriptions.length >= topics) resolve();
    });
  });
  await once(ws, "open");
  if (topics > 0) await subscribed;
  return ws;
}

process.on("message", ({ open }: ViewersQuestion) => {
  answer(open).catch((error: unknown) => {
    throw error;
  });
});
process.on("disconnect", () => process.exit());
process.send?.({});

async function answer(open: ViewersQuestion["open"]): Promise<void> {
  if (open === null) {
    for (const viewer of viewers) viewer.terminate();
    viewers = [];
  } else if (open !== undefined) {
    const { url, count, topics } = open;
    viewers = await Promise.all(Array.from({ length: count }, (_, n) => view(url, topics, n === 0)));
  }
  process.send?.({ messages, ages } satisfies ViewersCount);
  ages = [];
}
