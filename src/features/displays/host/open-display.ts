import { readFile } from "node:fs/promises";
import { connect, isIPv4, type NetConnectOpts, type Socket } from "node:net";
import { homedir, hostname } from "node:os";
import { join } from "node:path";
import { MgrError } from "../../../base/errors.ts";
import { type DisplayName, parseDisplayName } from "../x11/display-name.ts";
import { cookieIn } from "../x11/xauthority.ts";
import { X11_BASE_PORT } from "./display-listener.ts";
import { X_SOCKETS } from "./display-numbers.ts";
import type { X11Connection } from "./tunnel.ts";

const CONNECT_TIMEOUT_MS = 8_000;
const MAX_PORT = 65_535;

export interface OpenDisplayOptions {
  /** Name of the display, as in DISPLAY. */
  readonly display: string;
  /** Xauthority file; null: that of this user. */
  readonly authority: string | null;
}

/** Connects to an X server as this user's programs do. The authorization is null if the file has no cookie. */
export async function openDisplay({ display, authority }: OpenDisplayOptions): Promise<X11Connection & { readonly stream: Socket }> {
  const name = parseDisplayName(display);
  if (name === null || X11_BASE_PORT + name.number > MAX_PORT)
    throw new MgrError("bad_field", `'${display}' is not the name of an X display, such as ':0' or 'host:10.0'`);
  const stream = await connectDisplay(name, display);
  const file = await readFile(authority ?? join(homedir(), ".Xauthority")).catch(() => null);
  return { stream, authorization: file && cookieIn(file, { number: name.number, hostName: hostname(), ip: addressOf(stream) }) };
}

async function connectDisplay({ host, number }: DisplayName, display: string): Promise<Socket> {
  const path = `${X_SOCKETS}/X${number}`;
  const places: NetConnectOpts[] = host === null ? [{ path }, { path: `\0${path}` }] : [{ host, port: X11_BASE_PORT + number }];
  let problem: Error | null = null;
  for (const place of places) {
    try {
      return await connected(place);
    } catch (error) {
      problem ??= error as Error;
    }
  }
  throw new MgrError("conflict", `X display '${display}' cannot be reached: ${problem?.message}`, { cause: problem });
}

function connected(place: NetConnectOpts): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...place, allowHalfOpen: true });
    socket.setNoDelay(true);
    const timer = setTimeout(() => socket.destroy(new Error(`no answer within ${CONNECT_TIMEOUT_MS / 1_000} s`)), CONNECT_TIMEOUT_MS);
    socket.once("error", reject);
    socket.once("connect", () => {
      // Until the caller has the socket, no other listener handles its errors.
      socket.on("error", () => socket.destroy());
      resolve(socket);
    });
    for (const event of ["connect", "error"]) socket.once(event, () => clearTimeout(timer));
  });
}

/** IPv4 address of the X server; null for this machine: its X servers have its name in Xauthority files, whatever the address. */
function addressOf({ remoteAddress }: Socket): string | null {
  const ip = remoteAddress?.replace(/^::ffff:/, "");
  return ip === undefined || !isIPv4(ip) || ip.startsWith("127.") ? null : ip;
}
