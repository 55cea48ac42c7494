import { BorrowedMessage } from "../borrowed-message.ts";
import { CRLF, NO_RESPONDERS_HEADERS } from "../broker-protocol.ts";
import type { ClientSubscription, Subscriber } from "../broker-subscriber.ts";
import type { Envelope } from "../parser/broker-operations.ts";
import type { BrokerRouter } from "../routing/broker-router.ts";

/** Maximum number of subscriptions to one inbox among which the requester's own one is searched. */
const MAX_INBOX_SUBSCRIPTIONS = 512;
const NO_RESPONDERS = Buffer.from(NO_RESPONDERS_HEADERS + CRLF, "latin1");

/** An answer that the broker itself gives to a request. */
export interface OwnAnswer {
  readonly envelope: Envelope;
  readonly message: BorrowedMessage;
}

/** The client's own subscription to the inbox of its request. */
export function ownInbox(router: BrokerRouter, client: Subscriber, subject: string): ClientSubscription | undefined {
  const match = router.tree.match(subject);
  // An inbox has few subscriptions; a search among thousands for each request would delay all clients.
  if (match.plainSize > MAX_INBOX_SUBSCRIPTIONS) return undefined;
  for (const one of match.plain()) if (one.client === client && !one.isEnded) return one;
  return undefined;
}

/** Status 503: the request has no responders. */
export function noResponders(reply: string): OwnAnswer {
  const size = NO_RESPONDERS_HEADERS.length;
  const message = new BorrowedMessage().of(NO_RESPONDERS, 0, NO_RESPONDERS.length);
  return { envelope: { subject: reply, reply: null, headerBytes: size, size }, message };
}

export function answerOf(reply: string, body: string): OwnAnswer {
  const bytes = Buffer.from(body + CRLF);
  const envelope = { subject: reply, reply: null, headerBytes: 0, size: bytes.length - CRLF.length };
  return { envelope, message: new BorrowedMessage().of(bytes, 0, bytes.length) };
}
