import { messageOf } from "../../../base/errors.ts";
import type { ByteStream } from "../../carriers/byte-stream.ts";
import type { BorrowedMessage } from "../borrowed-message.ts";
import { CRLF, ERROR_TEXTS, ProtocolViolation } from "../broker-protocol.ts";
import { BrokerConnection } from "../client/broker-connection.ts";
import type { BrokerOperations, Envelope, LinkOperations } from "../parser/broker-operations.ts";
import { LeafLink, type LinkEnvironment } from "./leaf-link.ts";
import { LOOP_ERROR, parseHubInfo } from "./leaf-protocol.ts";
import type { LinkAccount } from "./link-account.ts";

/** Maximum number of unanswered PINGs before the link is closed, if sending makes no progress either. */
const MAX_PINGS_OUT = 2;

export interface LinkCredentials {
  readonly user?: string;
  readonly pass?: string;
  readonly auth_token?: string;
}

export interface DialedLinkOptions {
  readonly stream: ByteStream;
  /** Name of this broker, for the hub's statistics. */
  readonly name: string;
  /** Address of the hub, for messages. */
  readonly place: string;
  /** Whether the hub is within this machine: the kernel reports its end. */
  readonly isLocal: boolean;
  readonly credentials: LinkCredentials;
  readonly account: LinkAccount;
  /** The same for all connections of this link, so that a hub can tell a reconnect from a second path to the same broker. */
  readonly linkId: string;
  /** Called when the hub has accepted the link and announced its interest. */
  readonly onUp: () => void;
  /** Called when the hub has received all that clients here had published at this time of the monotonic clock (`performance.now`), milliseconds. */
  readonly onConfirmed?: (at: number) => void;
  /** Called once, at the end; `problem` is the reason, or null. */
  readonly onClosed: (problem: string | null, isLoop: boolean) => void;
}

interface DialedEnvironment extends LinkEnvironment {
  closed(account: LinkAccount): void;
}

/** The leaf's end of one connection to a hub. */
export class DialedLink implements BrokerOperations, LinkOperations {
  readonly link = this;
  readonly #id: number;
  readonly #options: DialedLinkOptions;
  readonly #environment: DialedEnvironment;
  readonly #connection: BrokerConnection;
  #leaf: LeafLink | null = null;
  #isGreeted = false;
  #isUp = false;
  #problem: string | null = null;
  #isLoop = false;
  /** `out_msgs` when each of the unanswered PINGs was sent, and the time if nothing waited to be sent before it. */
  readonly #pings: { readonly sent: number; readonly at: number | null }[] = [];
  #lastAccepted = 0;

  constructor(id: number, options: DialedLinkOptions, environment: DialedEnvironment) {
    this.#id = id;
    this.#options = options;
    this.#environment = environment;
    const { limits, turns, memory, hooks } = environment;
    this.#connection = new BrokerConnection(options.stream, this, {
      limits,
      turns,
      memory,
      owner: () => `the link to ${options.place}`,
      policyOf: (subject) => hooks?.policyOf(subject) ?? null,
      sent: (publisher, subject, msgs, payload) => this.#leaf?.sent(publisher, subject, msgs, payload),
      dropped: ({ publisher, subject }, msgs, payload) => this.#leaf?.dropped(publisher, subject, msgs, payload),
      failed: () => this.#leaf?.close(),
      defect: (error) => environment.refusals.warn(`a defect of the bus closed the link to ${options.place}: ${messageOf(error)}`),
      closed: () => {
        this.#leaf?.close();
        environment.closed(options.account);
        options.onClosed(this.#problem, this.#isLoop);
      },
    });
  }

  /** The link; null until the hub has confirmed the credentials. */
  get leaf(): LeafLink | null {
    return this.#leaf;
  }

  get isLocal(): boolean {
    return this.#options.isLocal;
  }

  open(): void {
    this.#connection.open("");
  }

  drainAndClose(): Promise<void> {
    return this.#connection.end();
  }

  destroy(): void {
    this.#connection.destroy();
  }

  get stats() {
    return { is_up: this.#isUp, pending_bytes: this.#connection.pending, ...(this.#leaf?.interests ?? { theirs: 0, ours: 0 }) };
  }

  /** Pings the hub, and closes the link if the hub does not answer. */
  tick(): void {
    if (this.#leaf === null) return;
    // The number of bytes that wait says nothing: it grows on a dead link, too, while programs publish.
    const { pending, accepted } = this.#connection;
    const isMoving = pending > 0 && accepted !== this.#lastAccepted;
    this.#lastAccepted = accepted;
    if (this.#pings.length < MAX_PINGS_OUT) this.#ping();
    else if (!isMoving) this.fail(ERROR_TEXTS.stale);
  }

  statusLine(word: string, text: string): void {
    if (word === "INFO") this.#informed(text);
    else if (word === "-ERR") this.#refused(text.replace(/^'|'$/g, ""));
  }

  /** The first INFO requests credentials, the second confirms them; later ones announce changes of the hub's cluster. */
  #informed(text: string): void {
    const info = parseHubInfo(text);
    const { account, place } = this.#options;
    const { id, limits } = this.#environment;
    if (!this.#isGreeted) {
      this.#isGreeted = true;
      const { name, credentials, linkId } = this.#options;
      const own = { tls_required: false, server_id: id, name, headers: true, jetstream: false, cluster: "", proto: 1 };
      const connect = { ...credentials, ...own, max_payload: limits.maxPayload, mgr_link: linkId, mgr_counts: account.counts };
      this.#connection.answer(`CONNECT ${JSON.stringify(connect)}${CRLF}`);
      this.#ping();
      return;
    }
    if (this.#leaf !== null) return;
    account.begin(id, info.server_id, info.mgr_counts);
    this.#leaf = new LeafLink({
      id: this.#id,
      name: `the hub ${place}`,
      peer: "hub",
      isOwnKind: info.mgr_counts !== undefined,
      owner: "",
      maxPayload: info.max_payload ?? limits.maxPayload,
      account,
      wire: this.#connection,
      fail: (text) => this.fail(text),
      environment: this.#environment,
      onComplete: () => this.#environment.router.absent.delete(account),
      onClosed: () => this.#environment.router.absent.add(account),
    });
    this.#leaf.announce();
    this.#ping();
  }

  #refused(text: string): void {
    // If one subject is refused, the link stays open.
    if (/^Permissions Violation/i.test(text)) {
      this.#leaf?.statusLine("-ERR", text);
      return;
    }
    this.#problem = text;
    this.#isLoop ||= text.startsWith(LOOP_ERROR.slice(0, "Loop detected".length));
  }

  fail(text: string): void {
    this.#refused(text);
    this.#connection.fail(text);
  }

  #ping(): void {
    const isWhole = this.#isUp && !this.#connection.isQueueing;
    this.#pings.push({ sent: this.#options.account.counters.out_msgs, at: isWhole ? performance.now() : null });
    this.#connection.answer(`PING${CRLF}`);
  }

  ping(): void {
    this.#connection.answer(`PONG${CRLF}`);
  }

  pong(): void {
    const ping = this.#pings.shift();
    if (ping === undefined || this.#leaf === null) return;
    this.#options.account.confirm(ping.sent);
    if (ping.at !== null) this.#options.onConfirmed?.(ping.at);
    if (this.#isUp) return;
    this.#isUp = true;
    this.#leaf.complete();
    this.#options.onUp();
  }

  interest(subject: string, queue: string | null, weight: number): void {
    this.#linked().interest(subject, queue, weight);
  }

  disinterest(subject: string, queue: string | null): void {
    this.#linked().disinterest(subject, queue);
  }

  announce(): void {
    this.#linked();
  }

  publish(envelope: Envelope, message: BorrowedMessage): void {
    this.#linked().receive(envelope, message);
  }

  connect(): void {
    throw new ProtocolViolation(ERROR_TEXTS.unknownOperation);
  }

  subscribe(): void {
    throw new ProtocolViolation(ERROR_TEXTS.unknownOperation);
  }

  unsubscribe(): void {
    throw new ProtocolViolation(ERROR_TEXTS.unknownOperation);
  }

  #linked(): LeafLink {
    if (this.#leaf === null) throw new ProtocolViolation(ERROR_TEXTS.authorization);
    return this.#leaf;
  }
}
