import { z } from "zod";
import { CRLF, ERROR_TEXTS, ProtocolViolation } from "../broker-protocol.ts";
import type { Envelope } from "../parser/broker-operations.ts";

/** The NATS leaf-node protocol as nats-server 2.9 and 2.10 speak it, and its extensions between two brokers of mgr. */

/** Prefix of the subjects for loop detection: if interest in one returns over another link, there is a loop. */
export const LOOP_PREFIX = "$LDS.";
/** The error text by which both sides detect a loop. */
export const LOOP_ERROR = 'Loop detected for leafnode account="$G"';
/** Maximum size of the names of queue groups in one LMSG, bytes. */
const MAX_QUEUES_BYTES = 16 * 1024;

/** Messages of a link that one end has counted, over all its connections. nats-server does not send it. */
const counts = z.object({
  /** The other end's server_id. */
  of: z.string(),
  in: z.number(),
  out: z.number(),
  /** Number of messages that were not sent because there was no connection. */
  missed: z.number().default(0),
});
export type LinkCounts = z.infer<typeof counts>;

/** CONNECT of a leaf. Clients have no `server_id`. */
const leafConnect = z.object({
  server_id: z.string().min(1),
  name: z.string().default(""),
  user: z.string().nullish(),
  pass: z.string().nullish(),
  auth_token: z.string().nullish(),
  max_payload: z.number().optional(),
  mgr_link: z.string().optional(),
  mgr_counts: counts.optional(),
});
export type LeafConnect = z.infer<typeof leafConnect>;

/** The fields of a hub's INFO that a leaf uses. */
const hubInfo = z.object({
  server_id: z.string().default(""),
  server_name: z.string().default(""),
  max_payload: z.number().optional(),
  mgr_counts: counts.optional(),
});
export type HubInfo = z.infer<typeof hubInfo>;

/** Parses the CONNECT of a leaf; null: it is a client's. */
export function parseLeafConnect(json: string): LeafConnect | null {
  // Checked before parsing, because almost every CONNECT is a client's.
  if (!json.includes('"server_id"')) return null;
  return leafConnect.safeParse(parsed(json)).data ?? null;
}

export function parseHubInfo(json: string): HubInfo {
  const info = hubInfo.safeParse(parsed(json));
  if (!info.success) throw new ProtocolViolation(ERROR_TEXTS.parser);
  return info.data;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new ProtocolViolation(ERROR_TEXTS.parser, { cause });
  }
}

export function interestLine(subject: string, queue: string | null, weight: number): string {
  return queue === null ? `LS+ ${subject}${CRLF}` : `LS+ ${subject} ${queue} ${weight}${CRLF}`;
}

export function disinterestLine(subject: string, queue: string | null): string {
  return queue === null ? `LS- ${subject}${CRLF}` : `LS- ${subject} ${queue}${CRLF}`;
}

/** The line before a message. `queues`: groups of which the other side chooses one member each. */
export function linkHead({ subject, reply, headerBytes, size }: Envelope, queues: readonly string[]): string {
  const sizes = headerBytes > 0 ? `${headerBytes} ${size}` : `${size}`;
  const verb = headerBytes > 0 ? "HMSG" : "LMSG";
  const groups = queues.join(" ");
  if (groups === "") return `${verb} ${subject} ${reply === null ? "" : `${reply} `}${sizes}${CRLF}`;
  return `${verb} ${subject} ${reply === null ? "|" : `+ ${reply}`} ${groups} ${sizes}${CRLF}`;
}

/** Whether `names` fit into one line. */
export function fitsIntoLine(names: readonly string[]): boolean {
  return names.reduce((sum, { length }) => sum + length + 1, 0) <= MAX_QUEUES_BYTES;
}
