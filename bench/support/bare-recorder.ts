// The peer of the ring: a program that subscribes to topics with the official client and writes what it gets with McapWriter of @mcap/core.
import { connect } from "@nats-io/transport-node";
import { bareMcapFile } from "./mcap-file.ts";

const [, , port = "", path = ""] = process.argv;
const connection = await connect({ servers: `nats://127.0.0.1:${port}` });
const { writer } = await bareMcapFile(path);
const channels = new Map<string, number>();
let messages = 0;

async function record(): Promise<void> {
  for await (const { subject, data } of connection.subscribe("topic.bench.>")) {
    let channelId = channels.get(subject);
    if (channelId === undefined) {
      channelId = await writer.registerChannel({ topic: subject, messageEncoding: "raw", schemaId: 0, metadata: new Map() });
      channels.set(subject, channelId);
    }
    const time = BigInt(Date.now()) * 1_000_000n;
    await writer.addMessage({ channelId, sequence: ++messages, logTime: time, publishTime: time, data });
  }
}

void record();
await connection.flush();
process.on("message", () => process.send?.({ messages }));
process.on("disconnect", () => process.exit());
process.send?.({});
