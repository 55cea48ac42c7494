import type { PeerTraffic } from "../../../bus/carriers/peer-traffic.ts";
import type { Reading } from "./reading.ts";

/** A subscriber's place: its logical host, and the broker that counts for it (null: the manager's). */
export interface Subscribing {
  readonly host: string;
  readonly broker: string | null;
}

/** An instance of a service: its subjects and its broker. */
export interface Serving {
  readonly service: string;
  readonly subjects: readonly string[];
  readonly broker: string;
}

/** Hosts and brokers of the publisher and the subscribers of a topic. */
export interface TopicPlaces {
  readonly topic: string;
  /** Host of the publisher that is a client of the manager's own broker. */
  readonly hubPublisher: string | null;
  readonly subscribers: readonly Subscribing[];
}

/** Bytes so far on the connections that the manager made through a host to one target. */
export interface ForwardCount {
  readonly target: string;
  readonly written: number;
  readonly received: number;
}

/** Bytes so far of messages with their headers. */
export interface LinkBytes {
  readonly in_bytes: number;
  readonly out_bytes: number;
}

/** All counters, publishers, subscribers and services at one moment. */
export interface Sample {
  /** Monotonic, milliseconds. */
  readonly at: number;
  /** Readings of the hosts that answered. */
  readonly hosts: ReadonlyMap<string, Reading>;
  /** Reading of the manager's own broker; null: there is none. */
  readonly hub: Reading | null;
  /** Topics by subject. */
  readonly topics: ReadonlyMap<string, TopicPlaces>;
  readonly services: readonly Serving[];
  /** Bytes that the manager's broker has sent to the brokers of hosts, and received from them, by host. */
  readonly links: ReadonlyMap<string, LinkBytes>;
  /** Connections that the manager made through each host, by host. */
  readonly forwards: ReadonlyMap<string, readonly ForwardCount[]>;
  readonly peers: readonly PeerTraffic[];
}
