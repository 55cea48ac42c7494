import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { visibleLines } from "../../base/text/visible-text.ts";
import { SECURITY_HEADERS } from "./security-headers.ts";

/** The refusal of a request or upgrade: an HTTP status and a message as plain text. */
export interface Refusal {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Maximum time for a client to read a refusal before its connection is cut, ms. */
const LINGER_MS = 2_000;

export function refusal(status: number, text: string, headers: Record<string, string> = {}): Refusal {
  return { status, text: visibleLines(text), headers };
}

export function isRefusal(outcome: object): outcome is Refusal {
  return "status" in outcome;
}

function headersOf(refused: Refusal): Record<string, string> {
  return { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store", ...SECURITY_HEADERS, ...refused.headers };
}

export function refusalResponse(refused: Refusal): Response {
  return new Response(`${refused.text}\n`, { status: refused.status, headers: headersOf(refused) });
}

/** Sends a refusal as a response of Node. */
export function refuse(response: ServerResponse, refused: Refusal): void {
  response.writeHead(refused.status, headersOf(refused)).end(`${refused.text}\n`);
}

/** Answers on a socket that no HTTP parser serves any more (a refused upgrade, a malformed request), and closes it. */
export function refuseOnSocket(socket: Duplex, refused: Refusal): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = Buffer.from(`${refused.text}\n`);
  const headers = { ...headersOf(refused), "Content-Length": body.length, Connection: "close" };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${refused.status} ${STATUS_CODES[refused.status] ?? ""}\r\n${lines.join("")}\r\n`);
  socket.end(body);
  // Discards further bytes of the client: with unread bytes, closing would reset the connection and lose the answer.
  socket.resume();
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(cut));
}
