// Many topics at a steady rate, and one subscriber to all of them.
import { natsSocket, pong } from "./nats-socket.ts";

const [, , port = "", token = "", topics = "", rate = ""] = process.argv;
const subscriber = await natsSocket(Number(port), token);
subscriber.write("SUB topic.bench.> 1\r\n");
await pong(subscriber);
subscriber.resume();
const publisher = await natsSocket(Number(port), token);
publisher.resume();
const payload = "x".repeat(128);
const round = Array.from({ length: Number(topics) }, (_, n) => `PUB topic.bench.${n} ${payload.length}\r\n${payload}\r\n`);
const begin = performance.now();
let sent = 0;
// Spread over the period, as programs that know nothing of each other do.
setInterval(() => {
  const due = Math.floor(((performance.now() - begin) / 1_000) * Number(rate) * round.length);
  let text = "";
  for (; sent < due; sent++) text += round[sent % round.length];
  if (text !== "") publisher.write(text);
}, 1);
process.on("message", () => process.send?.({ sent }));
process.on("disconnect", () => process.exit());
process.send?.({});
