import { ERROR_TEXTS, ProtocolViolation } from "../broker-protocol.ts";
import { ConnectDeadline } from "../input/connect-deadline.ts";
import type { AcceptOptions, BrokerPermissions, Credentials } from "../permissions.ts";
import { ClientPermissions } from "./client-permissions.ts";

/** The permissions of clients that need no credentials. */
const NO_PERMISSIONS: BrokerPermissions = {};

/** The login of one client: until it has sent valid credentials, in time, only CONNECT is accepted. Where none are needed, it is logged in. */
export class ClientLogin {
  readonly permissions: ClientPermissions;
  readonly #accepted: AcceptOptions;
  readonly #deadline = new ConnectDeadline();
  #isDone: boolean;

  constructor(accepted: AcceptOptions) {
    this.#accepted = accepted;
    this.permissions = new ClientPermissions(accepted.permissions ?? NO_PERMISSIONS);
    this.#isDone = accepted.authenticate === undefined;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** Calls `over` if the client has not logged in within `timeoutMs`. */
  limit(timeoutMs: number, over: () => void): void {
    if (!this.#isDone) this.#deadline.begin(timeoutMs, over);
  }

  /** Continues the login of an earlier broker; null: the client has not logged in. */
  adopt(permissions: BrokerPermissions | null): void {
    if (permissions !== null) this.permissions.replace(permissions);
    this.#isDone = permissions !== null;
  }

  /** Permissions by these credentials; null: they are refused. */
  authenticate(credentials: Credentials, address: string): BrokerPermissions | null | Promise<BrokerPermissions | null> {
    const { authenticate, permissions = NO_PERMISSIONS } = this.#accepted;
    return authenticate === undefined ? permissions : authenticate(credentials, address);
  }

  /** Throws if the client may not link another broker. */
  assertMayLink(permissions: BrokerPermissions | null): void {
    if (permissions?.mayLink !== true && (permissions !== NO_PERMISSIONS || this.#accepted.authenticate !== undefined))
      throw new ProtocolViolation(ERROR_TEXTS.authorization);
  }

  /** Throws if the client is refused: null, or by its name or address. */
  admit(permissions: BrokerPermissions | null, { name, address }: { readonly name: string; readonly address: string }): void {
    if (!permissions) throw new ProtocolViolation(ERROR_TEXTS.authorization);
    const refusal = permissions.refusalOf?.(name, address) ?? null;
    if (refusal !== null) throw new ProtocolViolation(`${ERROR_TEXTS.authorization}: ${refusal}`);
    this.permissions.replace(permissions);
    this.#isDone = true;
    this.#deadline.end();
  }

  assertDone(): void {
    if (!this.#isDone) throw new ProtocolViolation(ERROR_TEXTS.authorization);
  }

  end(): void {
    this.#deadline.end();
  }
}
