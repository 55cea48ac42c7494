import type { Duplex } from "node:stream";
import { messageOf } from "../../../base/errors.ts";
import { joinStreams } from "../../../bus/streams/join-streams.ts";
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
