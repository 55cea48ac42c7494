import type { Duplex } from "node:stream";
import { messageOf } from "../../../base/errors.ts";
import { setupPacket, type X11Authorization } from "../x11/setup.ts";
import { readSetup, refuseClient } from "./read-setup.ts";

/** A connection to an X server, or to a relay of one. */
export interface X11Connection {
  readonly stream: Duplex;
  /** Authorization for the setup packet; null: the X server needs none, or the relay adds it. */
  readonly authorization: X11Authorization | null;
}

/**
 * Connects an X client, whose setup packet is still to be read, with an X server. The authorization of the client is replaced. If there is no X
 * server, the client receives the reason. Rejects after closing the client.
 */
export async function tunnelX11(client: Duplex, connect: () => Promise<X11Connection>): Promise<void> {
  // Until both streams are joined, no other listener handles the errors of the client.
  client.on("error", () => client.destroy());
  try {
    const setup = await readSetup(client);
    const server = await connect().catch((error: unknown) => {
      refuseClient(client, setup, messageOf(error));
      throw error;
    });
    if (client.destroyed) {
      server.stream.destroy();
      return;
    }
    server.stream.write(setupPacket({ ...setup, authorization: server.authorization }));
    joinStreams(client, server.stream);
  } catch (error) {
    if (!client.writableEnded) client.destroy();
    throw error;
  }
}

/** Copies in both directions, each only as fast as it is read. The two directions end separately; an error of one stream closes both. */
export function joinStreams(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on("error", () => to.destroy());
    from.once("close", () => {
      if (!from.readableEnded || !to.readableEnded) to.destroy();
    });
    from.pipe(to);
  }
}
