import type { MsgHdrs } from "@nats-io/nats-core";

export interface BusMessage {
  readonly subject: string;
  /** The subject for the answer; omitted or empty if no answer is expected. */
  readonly reply?: string | undefined;
  readonly data: Uint8Array;
  readonly headers?: MsgHdrs | undefined;
}

export interface BusSubscription {
  unsubscribe(): void;
}

/** The part of a bus that manager and host use between them. */
export interface HostBus {
  publish(subject: string, data: Uint8Array | string): void;
  subscribe(subject: string, callback: (message: BusMessage) => void): BusSubscription;
  request(subject: string, data: Uint8Array | string, options: { timeoutMs: number }): Promise<BusMessage>;
}
