import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, it } from "vitest";
import { Forwards } from "../../src/app/hosts/forwards.ts";
import type { HostLink } from "../../src/contract/host-link.ts";
import { Forwarder } from "../../src/daemon/session/forwarder.ts";

const BYTES = 5_000_000;

it("both ends of a forward count what the program behind it has received and sent, also after it was closed", async () => {
  // The ends of manager and host, with nothing between them.
  const forwarder: Forwarder = new Forwarder((frame) => void setImmediate(() => forwards.receive(frame)));
  const link = {
    host: "rt1",
    request: async (_name: string, request: { stream: string; host: string; port: number }) => forwarder.open(request),
    stream: (frame) => void setImmediate(() => forwarder.receive(frame)),
  } as Pick<HostLink, "host" | "stream"> & { request: unknown } as HostLink;
  const forwards = new Forwards(link);
  const server = createServer({ allowHalfOpen: true });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const end = await forwards.open(randomUUID(), { host: "127.0.0.1", port });
  const [program] = await accepted;
  let received = 0;
  program.on("data", ({ length }) => {
    received += length;
  });
  const drained = once(program, "end");
  end.end(randomBytes(BYTES));
  await drained;
  const target = `127.0.0.1:${port}`;
  expect(received).toBe(BYTES);
  expect(forwards.counts.totals()).toEqual([{ target, written: BYTES, received: 0 }]);
  expect(forwarder.counts.totals()).toEqual([{ target, written: 0, received: BYTES }]);
  program.end("a word");
  end.resume();
  await once(end, "close");
  expect(forwards.counts.totals()).toEqual([{ target, written: BYTES, received: 6 }]);
  await expect.poll(() => forwarder.counts.totals()).toEqual([{ target, written: 6, received: BYTES }]);
  forwarder.closeAll("the test is over");
  forwards.closeAll();
  server.close();
  await once(server, "close");
});
