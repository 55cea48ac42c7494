import { MgrError } from "../../base/errors.ts";
import type { Broker } from "../broker/broker.ts";
import type { BusMessage, BusSubscription, HostBus } from "../broker/bus-message.ts";
import type { BrokerPort } from "../broker/listeners/broker-port.ts";
import { Requests } from "./requests.ts";

/**
 * The manager's own end of the broker that it embeds: messages are not encoded to the text protocol and decoded again
 * between the two, which would cost more than the rest of the path (docs/decisions/0012).
 */
export class LocalBus implements HostBus {
  readonly #port: BrokerPort;
  readonly #requests = new Requests();

  constructor(broker: Broker) {
    this.#port = broker.port();
    this.#port.subscribe(`${this.#requests.prefix}*`, (message) => this.#requests.receive(message));
  }

  publish(subject: string, data: Uint8Array | string): void {
    this.#port.publish(subject, data);
  }

  subscribe(subject: string, callback: (message: BusMessage) => void): BusSubscription {
    return { unsubscribe: this.#port.subscribe(subject, callback) };
  }

  request(subject: string, data: Uint8Array | string, options: { timeoutMs: number }): Promise<BusMessage> {
    return this.#requests.send(subject, options.timeoutMs, (reply) => {
      if (this.#port.publish(subject, data, reply)) return;
      throw new MgrError("host_unavailable", `no program answers ${subject}; try again when the other side is connected`);
    });
  }

  close(): void {
    this.#requests.failAll("the bus was closed");
    this.#port.close();
  }
}
