import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { listenLocally } from "../../../../src/features/forward/cli/local-listener.ts";

test("a listener is bound to loopback only, and a port in use is refused with what to do", async () => {
  const server = await listenLocally(0, () => {});
  try {
    const { address, port } = server.address() as AddressInfo;
    expect(address).toBe("127.0.0.1");
    await expect(listenLocally(port, () => {})).rejects.toThrow(/EADDRINUSE.*Give another local port, or 0 for a free one/);
  } finally {
    server.close();
  }
});
