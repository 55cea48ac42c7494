import { connect, type Socket } from "node:net";
import { createSecureContext, connect as secure } from "node:tls";
import { MgrError, messageOf } from "../../base/errors.ts";
import { onAbort } from "../../base/timing/on-abort.ts";
import { type ByteStream, socketStream } from "./byte-stream.ts";
import { noteDialed } from "./dialed-sockets.ts";

/** Certificates and keys of TLS connections besides the system's certificates, in PEM format. */
export interface TlsMaterial {
  /** Certificate authorities to trust instead of the system's. */
  readonly ca?: string;
  /** Certificate and key of this program, if the server requests one. */
  readonly cert?: string;
  readonly key?: string;
}

/** Maximum length of the INFO line before TLS, bytes. */
const MAX_INFO_BYTES = 32 * 1024;
const DEFAULT_PORT = 4222;
const LF = 10;

export function dialUnix(path: string, signal: AbortSignal): Promise<ByteStream> {
  return dialed(connect(path), path, signal);
}

/** Connects to `nats://HOST:PORT` (TLS if the server requires it) or `tls://HOST:PORT` (always TLS). */
export async function dialNats(url: URL, tls: TlsMaterial, signal: AbortSignal): Promise<ByteStream> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = url.port === "" ? DEFAULT_PORT : Number(url.port);
  const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 });
  const stream = await dialed(socket, url.host, signal);
  noteDialed(socket);
  return secureAfterGreeting(socket, stream, { host, material: tls, isDemanded: url.protocol === "tls:", signal });
}

function dialed(socket: Socket, place: string, signal: AbortSignal): Promise<ByteStream> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      socket.destroy();
      reject(new Error(`no connection to ${place}: cancelled`));
    };
    if (signal.aborted) return giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    socket.once("error", (cause) => {
      signal.removeEventListener("abort", giveUp);
      reject(new Error(`no connection to ${place}: ${cause.message}`, { cause }));
    });
    socket.once("connect", () => {
      signal.removeEventListener("abort", giveUp);
      resolve(socketStream(socket));
    });
  });
}

/**
 * Upgrades to TLS if required. The server sends INFO unencrypted; it says whether TLS is required. The stream delivers INFO again as its
 * first bytes.
 */
async function secureAfterGreeting(
  socket: Socket,
  clear: ByteStream,
  { host, material, isDemanded, signal }: { host: string; material: TlsMaterial; isDemanded: boolean; signal: AbortSignal },
): Promise<ByteStream> {
  const greeting = await firstLine(socket, signal);
  const mustSecure = /"tls_required"\s*:\s*true/.test(greeting.toString("latin1"));
  if (!mustSecure && isDemanded) {
    socket.destroy();
    throw new Error(`${host} does not offer TLS, which tls:// demands`);
  }
  if (!mustSecure) return startingWith(greeting, clear);
  const encrypted = secure({
    socket,
    ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
    host,
    minVersion: "TLSv1.2",
    secureContext: contextOf(material),
  });
  const giveUp = () => void encrypted.destroy(new Error("given up"));
  if (signal.aborted) giveUp();
  const unsubscribe = onAbort(signal, giveUp);
  await new Promise<void>((resolve, reject) => {
    encrypted.once("error", (cause) => reject(new Error(`TLS with ${host} failed: ${cause.message}`, { cause })));
    encrypted.once("close", () => reject(new Error(`${host} closed the connection during the TLS handshake`)));
    encrypted.once("secureConnect", resolve);
  }).finally(unsubscribe);
  return startingWith(greeting, socketStream(encrypted));
}

function contextOf(material: TlsMaterial) {
  try {
    return createSecureContext({ ...material, minVersion: "TLSv1.2" });
  } catch (cause) {
    throw new MgrError("bad_field", `the certificates for the bus cannot be used: ${messageOf(cause)}`, { cause });
  }
}

function firstLine(socket: Socket, signal: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (act: () => void) => {
      socket.off("data", receive);
      socket.off("close", lost);
      signal.removeEventListener("abort", abandon);
      socket.pause();
      act();
    };
    const fail = (text: string) =>
      settle(() => {
        socket.destroy();
        reject(new Error(text));
      });
    const lost = () => fail("the server closed the connection without a greeting");
    const abandon = () => fail("given up");
    const receive = (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (chunk.includes(LF)) settle(() => resolve(Buffer.concat(chunks)));
      else if (size > MAX_INFO_BYTES) fail("the other side does not speak the NATS protocol: its first line has no end");
    };
    socket.on("data", receive);
    socket.once("close", lost);
    signal.addEventListener("abort", abandon, { once: true });
    if (signal.aborted) abandon();
  });
}

function startingWith(first: Buffer, stream: ByteStream): ByteStream {
  return {
    held: stream.held,
    get unsent() {
      return stream.unsent;
    },
    write: (chunks) => stream.write(chunks),
    open(handlers) {
      queueMicrotask(() => {
        handlers.data(first);
        stream.open(handlers);
        stream.resume();
      });
    },
    pause: () => stream.pause(),
    resume: () => stream.resume(),
    end: () => stream.end(),
    destroy: () => stream.destroy(),
  };
}
