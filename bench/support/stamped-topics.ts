// Publishes topics at a steady rate, or as fast as the broker reads. It is told the messages a second of all topics together: null: as many as possible, 0: none.
import { once } from "node:events";
import { natsSocket } from "./nats-socket.ts";
import { PAYLOAD_BYTES, stampedPayload } from "./stamped-payload.ts";

const [, , port = "", token = "", topics = ""] = process.argv;
/** Messages that are written at once while there is no rate. */
const BURST = 100;
const socket = await natsSocket(Number(port), token);
// While it publishes nothing, its answers are the only sign of life.
socket.on("data", (chunk: Buffer) => {
  if (chunk.includes("PING")) socket.write("PONG\r\n");
});
let rate: number | null = 0;
let begin = performance.now();
let sent = 0;

function message(): string {
  return `PUB topic.bench.${sent++ % Number(topics)} ${PAYLOAD_BYTES}\r\n${stampedPayload()}\r\n`;
}

setInterval(() => {
  if (rate === null) return;
  const due = Math.floor(((performance.now() - begin) / 1_000) * rate);
  let text = "";
  while (sent < due) text += message();
  if (text !== "") socket.write(text);
}, 1);

async function flood(): Promise<void> {
  while (rate === null) {
    let text = "";
    for (let n = 0; n < BURST; n++) text += message();
    if (socket.write(text)) await new Promise((resolve) => setImmediate(resolve));
    else await once(socket, "drain");
  }
}

process.on("message", (question: { rate: number | null }) => {
  rate = question.rate;
  [begin, sent] = [performance.now(), 0];
  if (rate === null) void flood();
  process.send?.({});
});
process.on("disconnect", () => process.exit());
process.send?.({});
