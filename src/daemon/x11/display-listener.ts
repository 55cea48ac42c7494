import { createServer, type Server, type Socket } from "node:net";
import { MgrError, messageOf } from "../../base/errors.ts";
import { isAuthorized, setupPacket, type X11Authorization, type X11Setup } from "../../base/x11/setup.ts";
import { descriptorBudget } from "../../bus/carriers/descriptor-budget.ts";
import { isDisplayUsed } from "./display-numbers.ts";
import { readSetup, refuseClient } from "./read-setup.ts";

/** TCP port of display 0. */
export const X11_BASE_PORT = 6_000;
/** Clients connect over TCP, so that they do not assume shared memory with the X server. */
const ADDRESS = "127.0.0.1";
/** Numbers for forwarded displays, as those of ssh: lower ones are used by desktops, and higher ports by other services. */
const FIRST_NUMBER = 10;
const NUMBERS = 300;
/** Open connections of one run, and those that have not sent their setup yet: any program of this host can make such ones. */
const MAX_CLIENTS = 64;
const MAX_NEWCOMERS = 32;

export interface DisplayListenerOptions {
  /** What clients must send. */
  readonly cookie: X11Authorization;
  /** A client that has sent the cookie. The socket is paused; its setup packet, without the cookie, is still to be read. */
  readonly onClient: (client: Socket, setup: X11Setup) => void;
  readonly onRefused: (reason: string) => void;
}

/** An X display of this host that has no X server of its own: what its clients send is passed on. */
export class DisplayListener {
  readonly number: number;
  readonly #server: Server;
  readonly #options: DisplayListenerOptions;
  readonly #newcomers = new Set<Socket>();
  readonly #clients = new Set<Socket>();

  /** Takes a number that no X server and no other listener uses. */
  static async open(options: DisplayListenerOptions): Promise<DisplayListener> {
    for (let number = FIRST_NUMBER; number < FIRST_NUMBER + NUMBERS; number++) {
      const server = await listening(X11_BASE_PORT + number);
      if (server === null) continue;
      // The port is ours now: no other listener can take the number while it is checked.
      if (!(await isDisplayUsed(number))) return new DisplayListener(number, server, options);
      server.close();
    }
    throw new MgrError("conflict", `all X display numbers from ${FIRST_NUMBER} to ${FIRST_NUMBER + NUMBERS - 1} are in use on this host`);
  }

  private constructor(number: number, server: Server, options: DisplayListenerOptions) {
    this.number = number;
    this.#server = server;
    this.#options = options;
    server.on("connection", (client) => void this.#accept(client));
  }

  /** For the environment of the clients. */
  get display(): string {
    return `${ADDRESS}:${this.number}`;
  }

  /** Ends its connections, too. */
  close(): void {
    this.#server.close();
    for (const client of [...this.#newcomers, ...this.#clients]) client.destroy();
  }

  async #accept(client: Socket): Promise<void> {
    client.on("error", () => client.destroy());
    if (!this.#server.listening || this.#newcomers.size >= MAX_NEWCOMERS || !descriptorBudget.take(client, "client")) {
      client.destroy();
      return;
    }
    this.#newcomers.add(client);
    client.once("close", () => {
      this.#newcomers.delete(client);
      this.#clients.delete(client);
    });
    try {
      this.#admit(client, await readSetup(client));
    } catch (error) {
      this.#options.onRefused(messageOf(error));
      client.destroy();
    }
  }

  #admit(client: Socket, setup: X11Setup): void {
    const { cookie, onClient, onRefused } = this.#options;
    const isFull = this.#clients.size >= MAX_CLIENTS;
    if (isFull || !isAuthorized(setup, cookie)) {
      const reason = isFull
        ? `the process has ${MAX_CLIENTS} X11 connections already`
        : "the X11 cookie is missing or wrong, see XAUTHORITY";
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

/** Null: the port is in use. */
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
