import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { createBroker } from "../../../src/bus/broker/broker.ts";
import type { ByteStream } from "../../../src/bus/carriers/byte-stream.ts";

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc") as () => void;

async function comeAndGo(connect: () => ByteStream): Promise<WeakRef<ByteStream>> {
  const stream = connect();
  await new Promise<void>((resolve) => {
    stream.open({
      data: (bytes) => {
        if (Buffer.from(bytes).includes("PONG")) stream.destroy();
      },
      drained: () => {},
      closed: () => resolve(),
    });
    stream.write([
      Buffer.from('CONNECT {"verbose":false}\r\nSUB a.> 1\r\nSUB b q 2\r\nPUB a.b 2\r\nhi\r\nPUB b 200\r\n'),
      Buffer.alloc(200),
      Buffer.from("\r\nPING\r\n"),
    ]);
  });
  return new WeakRef(stream);
}

it("the broker keeps nothing of a thousand closed connections", async () => {
  const broker = createBroker();
  const seen: WeakRef<ByteStream>[] = [];
  for (let n = 0; n < 1_000; n++) seen.push(await comeAndGo(() => broker.connectMemory()));
  await new Promise((resolve) => setTimeout(resolve, 0));
  gc();
  // The last one may still stand on the stack.
  expect(seen.filter((one) => one.deref() !== undefined).length).toBeLessThanOrEqual(1);
  expect(broker.stats()).toMatchObject({ clients: [], subscriptions: 0, in_msgs: 2_000, out_msgs: 2_000 });
  await broker.close();
});
