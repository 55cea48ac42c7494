import type { IncomingMessage } from "node:http";
import { WebSocket } from "ws";
import { placeOf } from "./bus-url.ts";
import type { ByteStream } from "./byte-stream.ts";
import type { TlsMaterial } from "./dial.ts";
import { noteDialed } from "./dialed-sockets.ts";
import { DrainNotice } from "./drain-notice.ts";
import { tuneSocket } from "./socket-tuning.ts";

/** Path of a manager's bus on its one port. */
export const BUS_PATH = "/mgr/bus";
/** Maximum size of a frame, bytes: more than one message of the bus with its envelope. */
export const MAX_FRAME_BYTES = 2 * 1024 * 1024;
/** Maximum size of messages that are joined into one frame, bytes: the other side buffers whole frames. */
const FRAME_BYTES = 256 * 1024;

/** Connects to a manager's `/mgr/bus`. User and password of the address, or the token, are the credentials. */
export function dialWebsocket(
  url: URL,
  { token, ...tls }: TlsMaterial & { token?: string | undefined },
  signal: AbortSignal,
): Promise<ByteStream> {
  const target = new URL(url);
  if (target.pathname === "/") target.pathname = BUS_PATH;
  target.username = "";
  target.password = "";
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  const secret = token ?? (password === "" ? user : "");
  const authorization =
    secret === "" ? (user === "" ? null : `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`) : `Bearer ${secret}`;
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => {
      signal.removeEventListener("abort", giveUp);
      ws.terminate();
      reject(new Error(`no connection to ${placeOf(url)}: ${reason}`));
    };
    const giveUp = () => fail("given up");
    const ws = new WebSocket(target, {
      headers: authorization === null ? {} : { Authorization: authorization },
      perMessageDeflate: false,
      maxPayload: MAX_FRAME_BYTES,
      ...tls,
    });
    signal.addEventListener("abort", giveUp, { once: true });
    ws.on("error", (cause) => fail(cause.message));
    if (signal.aborted) giveUp();
    ws.once("unexpected-response", (_request, response) => refusalText(response, fail));
    let held: (() => number) | undefined;
    ws.once("upgrade", ({ socket }) => {
      noteDialed(socket);
      held = tuneSocket(socket);
    });
    ws.once("open", () => {
      signal.removeEventListener("abort", giveUp);
      // Paused, so that nothing is lost before the reader listens.
      ws.pause();
      resolve(websocketStream(ws, held));
    });
  });
}

/** Reads the manager's reason for the refusal. */
function refusalText(response: IncomingMessage, tell: (text: string) => void): void {
  const chunks: Buffer[] = [];
  response.on("data", (chunk: Buffer) => chunks.length < 16 && chunks.push(chunk));
  response.on("error", () => tell(`status ${response.statusCode}`));
  response.on("end", () => tell(`status ${response.statusCode}: ${Buffer.concat(chunks).toString().trim().slice(0, 500)}`));
}

/**
 * A WebSocket as the carrier of a connection, for either end: the bytes of the protocol in binary frames, split at any place. `held`: see
 * ByteStream.
 */
export function websocketStream(ws: WebSocket, held?: () => number): ByteStream {
  let error: Error | null = null;
  ws.on("error", (cause) => {
    error = cause;
  });
  const notice = new DrainNotice(() => ws.bufferedAmount);
  const send = (bytes: Uint8Array) => {
    ws.send(bytes, { binary: true }, notice.sent);
    notice.wrote();
  };
  return {
    held,
    get unsent() {
      return ws.bufferedAmount;
    },
    write(chunks) {
      if (ws.readyState !== ws.OPEN) return;
      for (const group of grouped(chunks)) send(group);
    },
    open(handlers) {
      notice.drained = () => handlers.drained();
      ws.on("message", (data) => {
        if (Array.isArray(data)) for (const part of data) handlers.data(part);
        else handlers.data(data instanceof ArrayBuffer ? new Uint8Array(data) : data);
      });
      ws.resume();
      if (ws.readyState === ws.CLOSED) queueMicrotask(() => handlers.closed(error));
      else ws.once("close", () => handlers.closed(error));
    },
    pause: () => ws.pause(),
    resume: () => ws.resume(),
    end: () => ws.close(1000),
    destroy: () => ws.terminate(),
  };
}

/** Joins small chunks: sending a frame costs more than copying a few bytes. */
function* grouped(chunks: readonly Uint8Array[]): Generator<Uint8Array> {
  let group: Uint8Array[] = [];
  let size = 0;
  for (const chunk of chunks.flatMap(pieces)) {
    if (size > 0 && size + chunk.length > FRAME_BYTES) {
      yield joined(group);
      group = [];
      size = 0;
    }
    group.push(chunk);
    size += chunk.length;
  }
  if (size > 0) yield joined(group);
}

/** Splits a large message into several frames. */
function pieces(chunk: Uint8Array): Uint8Array | Uint8Array[] {
  if (chunk.length <= FRAME_BYTES) return chunk;
  const count = Math.ceil(chunk.length / FRAME_BYTES);
  return Array.from({ length: count }, (_, index) => chunk.subarray(index * FRAME_BYTES, (index + 1) * FRAME_BYTES));
}

function joined(group: readonly Uint8Array[]): Uint8Array {
  const [first] = group;
  return group.length === 1 && first ? first : Buffer.concat(group);
}
