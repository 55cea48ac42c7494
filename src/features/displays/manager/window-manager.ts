import { once } from "node:events";
import type { Socket } from "node:net";
import { type OpenDisplayOptions, openDisplay } from "../host/open-display.ts";
import { padded, setupPacket, type X11Authorization } from "../x11/setup.ts";

/**
 * Properties of the root window: a window manager sets the first when it starts, the second when it manages windows (Extended Window Manager
 * Hints).
 */
const PROPERTIES = ["_NET_SUPPORTING_WM_CHECK", "_NET_CLIENT_LIST"];
/** Maximum wait for an X server, milliseconds. */
const ANSWER_TIMEOUT_MS = 2_000;
const [INTERN_ATOM, GET_PROPERTY] = [16, 20];
const [ERROR, REPLY] = [0, 1];
/** Size of an event, of an error, and of the fixed part of a reply, bytes. */
const PACKET_BYTES = 32;

/** Whether a window manager shows the windows of a display. False also if the X server does not answer. */
export async function hasWindowManager(display: OpenDisplayOptions): Promise<boolean> {
  const opened = await openDisplay(display).catch(() => null);
  if (opened === null) return false;
  try {
    const connection = new Connection(opened.stream, AbortSignal.timeout(ANSWER_TIMEOUT_MS));
    const root = await connection.begin(opened.authorization);
    for (const property of PROPERTIES) {
      const atom = await connection.atom(property);
      if (atom === 0 || !(await connection.hasProperty(root, atom))) return false;
    }
    return true;
  } catch {
    return false; // The X server ended, or refuses the cookie: clients of the display report that.
  } finally {
    opened.stream.destroy();
  }
}

/** A minimal X client that reads properties (X Window System Protocol, appendix B). */
class Connection {
  readonly #socket: Socket;
  readonly #signal: AbortSignal;

  constructor(socket: Socket, signal: AbortSignal) {
    this.#socket = socket;
    this.#signal = signal;
  }

  /** Resolves with the root window. */
  async begin(authorization: X11Authorization | null): Promise<number> {
    this.#socket.write(setupPacket({ isBigEndian: false, major: 11, minor: 0, authorization }));
    const head = await this.#read(8);
    const body = await this.#read(head.readUInt16LE(6) * 4);
    if (head[0] !== 1) throw new Error("the X server refuses the connection");
    // After 32 bytes come the padded name of the vendor and the pixmap formats, 8 bytes each; then the first screen.
    return body.readUInt32LE(32 + padded(body.readUInt16LE(16)) + 8 * body.readUInt8(21));
  }

  /** Returns 0 if no client has used this name yet. */
  async atom(name: string): Promise<number> {
    const request = Buffer.alloc(8 + padded(name.length));
    request.set([INTERN_ATOM, 1]);
    request.writeUInt16LE(request.length / 4, 2);
    request.writeUInt16LE(name.length, 4);
    request.write(name, 8, "latin1");
    return (await this.#ask(request)).readUInt32LE(8);
  }

  async hasProperty(window: number, atom: number): Promise<boolean> {
    const request = Buffer.alloc(24);
    request.set([GET_PROPERTY, 0]);
    for (const [index, value] of [window, atom].entries()) request.writeUInt32LE(value, 4 + 4 * index);
    request.writeUInt16LE(request.length / 4, 2);
    // The type is 0 if the property does not exist.
    return (await this.#ask(request)).readUInt32LE(8) !== 0;
  }

  async #ask(request: Buffer): Promise<Buffer> {
    this.#socket.write(request);
    for (;;) {
      const packet = await this.#read(PACKET_BYTES);
      if (packet[0] === ERROR) throw new Error("the X server refuses a request");
      // Some events go to all clients.
      if (packet[0] !== REPLY) continue;
      await this.#read(packet.readUInt32LE(4) * 4);
      return packet;
    }
  }

  async #read(length: number): Promise<Buffer> {
    if (length === 0) return Buffer.alloc(0);
    for (;;) {
      const bytes = this.#socket.read(length) as Buffer | null;
      if (bytes?.length === length) return bytes;
      if (bytes !== null || this.#socket.readableEnded || this.#socket.destroyed) throw new Error("the X server has ended");
      await once(this.#socket, "readable", { signal: this.#signal });
    }
  }
}
