import type { Principal } from "../../base/access/principal.ts";
import { LATE_PREFIX } from "../../base/topics/topic-subject.ts";
import { BUS_REPORT_SUBJECT, subjectToken } from "../../contract/subjects.ts";

/** The peer of a bus connection that is not the manager's own. */
export type BusMember =
  /** A host's daemon. */
  | { readonly kind: "host"; readonly name: string }
  /** A managed process, a program with a token, a web user: any client that only exchanges messages. */
  | { readonly kind: "client"; readonly name: string; readonly run_id?: string; readonly process?: string };

/** The program behind a connection, by the token that it presented. */
export interface ClientIdentity {
  /** Name shown until the client registers another one. */
  readonly name: string;
  readonly run_id: string | null;
  /** The managed process that the run belongs to, or "". */
  readonly process: string;
}

/** Permissions of a connection; a missing function allows everything. Subjects of subscriptions may hold wildcards. */
export interface BrokerPermissions {
  /** User name shown in statistics. */
  readonly user?: string;
  /** Identifies the credentials, so that a program that replaces this one finds the permissions of the connection again; left out: it cannot. */
  readonly key?: string;
  /** Connections with an identity are shown as clients. */
  readonly identity?: ClientIdentity;
  publish?(subject: string): boolean;
  /** "filtered": allowed, but the subscription gets only messages that `deliver` allows. */
  subscribe?(subject: string, queue: string | null): boolean | "filtered";
  deliver?(subject: string): boolean;
  /** Whether a message may ask for its answer on this subject: the responder publishes to it, with its own permissions. */
  reply?(subject: string): boolean;
  /** Whether messages are delivered without their reply subjects, so that the client learns no inbox of another one. */
  readonly hidesReplies?: boolean;
  /** Whether what it may publish to changes while it is connected, so that each message is checked. */
  readonly mayChange?: boolean;
  /** Checked at CONNECT: the reason why a client with this name is refused, or null. */
  refusalOf?(name: string, address: string): string | null;
  /** Checked from time to time: the client's permission to connect may have been revoked. */
  isValid?(): boolean;
  /** Whether the connection may be a link of another broker. Connections without any permissions may be, too. */
  readonly mayLink?: boolean;
}

/** Credentials and name from a client's CONNECT. */
export interface Credentials {
  readonly user: string | null;
  readonly pass: string | null;
  readonly token: string | null;
  readonly name: string;
}

export interface AcceptOptions {
  readonly kind: "memory" | "unix" | "tcp" | "websocket";
  /** The principal that was authenticated before the bus handshake, if any. */
  readonly principal?: Principal;
  readonly permissions?: BrokerPermissions;
  /** The client's `<ip>:<port>`, if there is one. */
  readonly address?: string;
  /** Whether the client has to switch to TLS after the greeting; the stream handles that. */
  readonly tls?: boolean;
  /** Called at CONNECT, which must then be the first operation; null refuses the client. Nothing is read until it has answered. */
  readonly authenticate?: (credentials: Credentials, address: string) => BrokerPermissions | null | Promise<BrokerPermissions | null>;
}

/**
 * The rules of the bus (docs/bus.md, "Permissions"): a host's daemon speaks for its host only, a client for itself only,
 * and other members have no access to `mgr.host.>`, so that only the manager commands a host. Answers go to inboxes: each
 * member may subscribe to an inbox whose name it knows, never to all of them.
 */
export function permissionsOf(member: BusMember): BrokerPermissions {
  const own = `mgr.${member.kind}.${subjectToken(member.name)}.`;
  const isOwn = (subject: string) => subject.startsWith(own);
  return {
    user: `${member.kind}:${member.name}`,
    ...(member.kind === "client" ? { identity: { name: member.name, run_id: member.run_id ?? null, process: member.process ?? "" } } : {}),
    mayLink: member.kind === "host",
    publish: (subject) =>
      isOwn(subject) || subject.startsWith(INBOX) || (member.kind === "client" && !isReserved(subject) && !subject.startsWith(LATE_PREFIX)),
    subscribe: (subject) => {
      const [first = "", second = ""] = subject.split(".", 2);
      // Every subject that the wildcard may match is checked per message.
      if (first === ">" || first === "*") return "filtered";
      if (first === "_INBOX") return second !== "" && second !== "*" && second !== ">";
      return isOwn(subject) || subject === BUS_REPORT_SUBJECT || !isReserved(subject);
    },
    deliver: (subject) => isOwn(subject) || !(isReserved(subject) || subject.startsWith(INBOX)),
  };
}

const INBOX = "_INBOX.";

/** Subjects of the manager and its hosts, and of servers and brokers among themselves. */
function isReserved(subject: string): boolean {
  return /^(mgr|\$SYS|\$LDS|\$MGR)(\.|$)/.test(subject);
}
