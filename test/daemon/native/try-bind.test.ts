import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { bindError } from "../../../src/daemon/native/try-bind.ts";

test.each(["127.0.0.1", "::1"])("a port of %s that is taken is reported, a free one is not opened", async (address) => {
  const server = createServer().listen(0, address);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  expect(bindError(address, port)).toBe("EADDRINUSE");
  server.close();
  await once(server, "close");
  expect(bindError(address, port)).toBeNull();
  const again = createServer().listen(port, address);
  await once(again, "listening");
  again.close();
  await once(again, "close");
});

test("an address of another machine is reported as an error", () => {
  expect(bindError("192.0.2.1", 8130)).toBe("EADDRNOTAVAIL");
});
