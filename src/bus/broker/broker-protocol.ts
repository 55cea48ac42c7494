import { z } from "zod";

/** The server's half of the NATS protocol (docs.nats.io, "Client Protocol"): limits, error texts, and the arguments of CONNECT. */

export const CRLF = "\r\n";
/** The headers, beginning with `NATS/1.0 `, that a client receives when its request has no responders. */
export const NO_RESPONDERS_HEADERS = "NATS/1.0 503\r\n\r\n";

/**
 * Client libraries enable features by the version of nats-server; this is the version whose core protocol the broker speaks (headers, no
 * responders, no JetStream).
 */
export const SPOKEN_VERSION = "2.10.0";

const MIB = 1024 * 1024;
/** Default limits; the first two are those of nats-server. Bytes, unless another unit is named. */
export const BROKER_LIMITS = {
  maxPayload: 1024 * 1024,
  maxControlLine: 4_096,
  /** Unread bytes of one subscriber beyond which new messages to it are dropped (docs/design/runtime-invariants.md, "Bus"). */
  maxPending: 8 * 1024 * 1024,
  maxClients: 10_000,
  /** Subscriptions of one connection, and their cost in bytes (subscriptions/subscription-budget.ts). */
  maxSubscriptions: 50_000,
  maxSubscriptionBytes: 48 * MIB,
  /** Subscriptions of all connections of one program. */
  maxProgramSubscriptions: 60_000,
  maxProgramSubscriptionBytes: 56 * MIB,
  /** Subscriptions of all clients: as many as a link can announce. */
  maxClientsSubscriptions: 100_000,
  maxClientsSubscriptionBytes: 96 * MIB,
  /** Interest that one leaf may announce: that of its clients, and some for the other broker itself. */
  maxLinkSubscriptions: 101_000,
  maxLinkSubscriptionBytes: 98 * MIB,
  /** Interest that all leaves together may announce. A leaf accepts this and `maxLink…` from its hub. */
  maxLinksSubscriptions: 150_000,
  maxLinksSubscriptionBytes: 128 * MIB,
  /** Members of one queue group of one subject: of one connection, of all connections of one program, of all clients. */
  maxGroupMembersOfClient: 1_000,
  maxGroupMembersOfProgram: 2_000,
  maxGroupMembers: 10_000,
  /** A client that was silent for this long is pinged, milliseconds. */
  pingIntervalMs: 30_000,
  /** Unanswered pings before a connection is stale. */
  maxPingsOut: 2,
  /** Time limit for the CONNECT of a client if one is required, milliseconds. */
  authTimeoutMs: 2_000,
};
export type BrokerLimits = typeof BROKER_LIMITS;

/** The standard error texts: client libraries recognise failures by them. */
export const ERROR_TEXTS = {
  unknownOperation: "Unknown Protocol Operation",
  parser: "Parser Error",
  controlLine: "Maximum Control Line Exceeded",
  payload: "Maximum Payload Violation",
  authorization: "Authorization Violation",
  authTimeout: "Authentication Timeout",
  stale: "Stale Connection",
  slow: "Slow Consumer",
  clients: "Maximum Connections Exceeded",
  headers: "Message Headers Not Supported",
  subject: "Invalid Subject",
  publishSubject: "Invalid Publish Subject",
  revoked: "User Authentication Revoked",
  internal: "Internal Error",
} as const;

/** A breach of the protocol: the client gets `-ERR '<message>'` and is closed. */
export class ProtocolViolation extends Error {
  override readonly name = "ProtocolViolation";
}

/** The arguments of CONNECT that the broker uses; others are ignored. */
export const connectArguments = z.object({
  verbose: z.boolean(),
  pedantic: z.boolean(),
  echo: z.boolean(),
  headers: z.boolean(),
  no_responders: z.boolean(),
  name: z.string(),
  user: z.string().nullable(),
  pass: z.string().nullable(),
  auth_token: z.string().nullable(),
});
export type ConnectOptions = z.infer<typeof connectArguments>;

/** Options before the first CONNECT; as in nats-server. */
export const DEFAULT_CONNECT_OPTIONS: ConnectOptions = {
  verbose: true,
  pedantic: true,
  echo: true,
  headers: false,
  no_responders: false,
  name: "",
  user: null,
  pass: null,
  auth_token: null,
};

/**
 * Returns `current` with the changes of CONNECT. A member that is `null` counts as absent, as in nats-server: some clients (the official
 * one for Rust) write every member.
 */
export function parseConnect(json: string, current: ConnectOptions): ConnectOptions {
  try {
    const given: unknown = JSON.parse(json, (_name, value: unknown) => value ?? undefined) ?? {};
    return connectArguments.parse({ ...current, ...z.looseObject({}).parse(given) });
  } catch (cause) {
    throw new ProtocolViolation(ERROR_TEXTS.parser, { cause });
  }
}

/** A subject as readable text. Internally subjects are latin1 characters that stand for bytes, so that they need not be decoded. */
export function readableText(text: string): string {
  return Buffer.from(text, "latin1").toString("utf8");
}
