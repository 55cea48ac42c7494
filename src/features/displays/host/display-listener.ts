import { createServer, type Server, type Socket } from "node:net";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { descriptorBudget } from "../../../bus/carriers/descriptor-budget.ts";
import { isAuthorized, setupPacket, type X11Authorization, type X11Setup } from "../x11/setup.ts";
import { isDisplayUsed } from "./display-numbers.ts";
import { peerUsers } from "./peer-users.ts";
import { readSetup, refuseClient } from "./read-setup.ts";

/** TCP port of display 0. */
export const X11_BASE_PORT = 6_000;
/** Clients connect over TCP, so that they do not assume shared memory with the X server. */
const ADDRESS = "127.0.0.1";
/** Range of numbers for forwarded displays, as in ssh: desktops use lower numbers, and other services use higher ports. */
const FIRST_NUMBER = 10;
const NUMBER_COUNT = 300;
/** Maximum number of clients of one run, and of connections without the cookie so far, which any program of this host can open. */
const MAX_CLIENTS = 64;
const MAX_NEWCOMERS = 32;
/** Time in which a client must send its setup, milliseconds; X clients send it at once. */
const SETUP_TIMEOUT_MS = 3_000;
const ROOT = 0;

export interface DisplayListenerOptions {
  /** The cookie that clients must send. */
  readonly cookie: X11Authorization;
  /** Users whose programs may connect, besides root; others are refused if the kernel reports the user of the connection. */
  readonly users: readonly number[];
  /** Called for a client that sent the cookie. The socket is paused; its setup packet, without the cookie, is still to be read. */
  readonly onClient: (client: Socket, setup: X11Setup) => void;
  readonly onRefused: (reason: string) => void;
}

/** An X display of this host without an X server: the connections of its clients are passed on. */
export class DisplayListener {
  readonly number: number;
  readonly #server: Server;
  readonly #options: DisplayListenerOptions;
  readonly #newcomers = new Set<Socket>();
  readonly #clients = new Set<Socket>();

  /** Opens a display with a number that no X server and no other listener uses. */
  static async open(options: DisplayListenerOptions): Promise<DisplayListener> {
    for (let number = FIRST_NUMBER; number < FIRST_NUMBER + NUMBER_COUNT; number++) {
      const server = await listening(X11_BASE_PORT + number);
      if (server === null) continue;
      // This listener has the port now: no other listener can use the number while it is checked.
      if (!(await isDisplayUsed(number))) return new DisplayListener(number, server, options);
      server.close();
    }
    throw new MgrError(
      "conflict",
      `all X display numbers from ${FIRST_NUMBER} to ${FIRST_NUMBER + NUMBER_COUNT - 1} are in use on this host`,
    );
  }

  private constructor(number: number, server: Server, options: DisplayListenerOptions) {
    this.number = number;
    this.#server = server;
    this.#options = options;
    server.on("connection", (client) => void this.#accept(client));
  }

  /** Value of DISPLAY for the clients. */
  get display(): string {
    return `${ADDRESS}:${this.number}`;
  }

  /** Closes the listener and its connections. */
  close(): void {
    this.#server.close();
    for (const client of [...this.#newcomers, ...this.#clients]) client.destroy();
  }

  async #accept(client: Socket): Promise<void> {
    client.on("error", () => client.destroy());
    if (!this.#server.listening) {
      client.destroy();
      return;
    }
    this.#makeRoom();
    if (!descriptorBudget.acquire(client, "client")) {
      client.destroy();
      return;
    }
    this.#newcomers.add(client);
    client.once("close", () => {
      this.#newcomers.delete(client);
      this.#clients.delete(client);
    });
    try {
      this.#admit(client, await readSetup(client, SETUP_TIMEOUT_MS));
    } catch (error) {
      this.#options.onRefused(messageOf(error));
      client.destroy();
    }
  }

  /** Drops connections of other users first, then the oldest newcomers. */
  #makeRoom(): void {
    if (this.#newcomers.size < MAX_NEWCOMERS) return;
    for (const client of this.#unknownClients([...this.#newcomers])) this.#drop(client);
    for (const oldest of this.#newcomers) {
      if (this.#newcomers.size < MAX_NEWCOMERS) break;
      this.#drop(oldest);
    }
  }

  #drop(client: Socket): void {
    this.#newcomers.delete(client);
    client.destroy();
  }

  #unknownClients(clients: readonly Socket[]): Socket[] {
    const known = peerUsers(X11_BASE_PORT + this.number);
    return clients.filter(({ remoteAddress, remotePort }) => {
      const user = known.get(`${remoteAddress}:${remotePort}`);
      return user !== undefined && user !== ROOT && !this.#options.users.includes(user);
    });
  }

  #admit(client: Socket, setup: X11Setup): void {
    const { cookie, onClient, onRefused } = this.#options;
    const reason = !isAuthorized(setup, cookie)
      ? "the X11 cookie is missing or wrong, see XAUTHORITY"
      : this.#unknownClients([client]).length > 0
        ? "the X client belongs to another user than the process"
        : this.#clients.size >= MAX_CLIENTS
          ? `the process has ${MAX_CLIENTS} X11 connections already`
          : null;
    if (reason !== null) {
      onRefused(reason);
      refuseClient(client, setup, reason);
      return;
    }
    this.#newcomers.delete(client);
    this.#clients.add(client);
    client.unshift(setupPacket({ ...setup, authorization: null }));
    onClient(client, setup);
  }
}

/** Null if the port is in use. */
function listening(port: number): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(null);
      else reject(new MgrError("conflict", `cannot listen for X clients at ${ADDRESS}:${port}: ${error.message}`, { cause: error }));
    });
    server.listen({ port, host: ADDRESS }, () => resolve(server));
  });
}
