import { type Deferred, deferred, type NatsConnection } from "@nats-io/nats-core";
import { NatsConnectionImpl, ProtocolHandler } from "@nats-io/nats-core/internal";
import { NatsTransport, type NatsTransportOptions } from "./nats-transport.ts";

/**
 * Connects as `NatsConnectionImpl.connect` of the library does, but with the transport of mgr. The library takes its transport from a
 * setting of the whole program, which `connect` and `wsconnect` of the official clients replace: a program that embeds the manager may use
 * these, and neither may reconnect through the transport of the other.
 */
export async function natsConnection(options: NatsTransportOptions): Promise<NatsConnection> {
  // With `resolve`, the library would look up the address that it requires and `dial` does not use.
  const connection: NatsConnectionImpl = Reflect.construct(NatsConnectionImpl, [{ ...options, resolve: false }]);
  const protocol = new ProtocolHandler(connection.options, connection);
  Object.defineProperty(protocol, "prepare", { value: () => prepare(protocol) });
  await protocol.dialLoop();
  connection.protocol = protocol;
  // Its declaration differs from its interface in optional fields only.
  return connection as object as NatsConnection;
}

/** `ProtocolHandler.prepare` of nats-core 3.4.0, except for the transport. Called before each attempt. */
function prepare(protocol: ProtocolHandler): Deferred<void> {
  // There is no transport before the first attempt.
  (protocol.transport as NatsTransport | undefined)?.discard();
  delete protocol.info;
  protocol.resetOutbound();
  const pong = deferred<void>();
  // It may be rejected before the library waits for it.
  pong.catch(() => {});
  protocol.pongs.unshift(pong);
  protocol.connectError = (error) => pong.reject(error);
  const transport = new NatsTransport();
  protocol.transport = transport;
  void transport.closed().then(async () => {
    protocol.connected = false;
    if (!protocol.isClosed()) await protocol.disconnected(transport.closeError ?? protocol.lastError);
  });
  return pong;
}
