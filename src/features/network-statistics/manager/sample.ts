import type { PeerTraffic } from "../../../bus/carriers/peer-traffic.ts";
import type { Reading } from "./reading.ts";

/** A subscriber's place: its logical host, and the broker that counts for it (null: the manager's). */
export interface Subscribing {
  readonly host: string;
  readonly broker: string | null;
}

/** Who offers a service, and under which subjects. */
export interface Serving {
  readonly service: string;
  readonly subjects: readonly string[];
  readonly broker: string;
}

/** Where the messages of a topic go to, and come from. */
export interface TopicPlaces {
  readonly topic: string;
  /** Host of the publisher that is a client of the manager's own broker. */
  readonly hubPublisher: string | null;
  readonly subscribers: readonly Subscribing[];
}

/** Connections that the manager made through a host, so far, by target. */
export interface ForwardCount {
  readonly target: string;
  readonly written: number;
  readonly received: number;
}

/** Messages with their headers, bytes so far. */
export interface LinkBytes {
  readonly in_bytes: number;
  readonly out_bytes: number;
}

/** Everything that was counted, and who takes part, at one moment. */
export interface Sample {
  /** Monotonic, milliseconds. */
  readonly at: number;
  /** Of the hosts that answered. */
  readonly hosts: ReadonlyMap<string, Reading>;
  /** Of the manager's own broker; null: there is none. */
  readonly hub: Reading | null;
  /** By subject. */
  readonly topics: ReadonlyMap<string, TopicPlaces>;
  readonly services: readonly Serving[];
  /** Bytes that the manager's broker has sent to the brokers of hosts, and received from them, by host. */
  readonly links: ReadonlyMap<string, LinkBytes>;
  /** By host. */
  readonly forwards: ReadonlyMap<string, readonly ForwardCount[]>;
  readonly peers: readonly PeerTraffic[];
}
