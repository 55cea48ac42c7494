import { type ClientRequest, request as httpRequest, type IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream";
import { MgrError, messageOf } from "../../../../base/errors.ts";
import { joinStreams } from "../../../../bus/streams/join-streams.ts";
import { refuse, refuseOnSocket } from "../../../../http/request/refusal.ts";
import { forwardRefusal } from "../forward-refusal.ts";
import type { PassedHeaders } from "./passed-headers.ts";

/** Time for the headers of an answer, ms. Its body may take as long as it likes. */
const ANSWER_MS = 60_000;

/** A request that is passed to a program on a connection of its own, so that nothing in it can become a part of another request. */
export interface Exchange {
  readonly request: IncomingMessage;
  /** The connection to the program. It ends with the answer. */
  readonly channel: Duplex;
  readonly headers: PassedHeaders;
  /** The headers for the client, of the raw ones of the answer. */
  readonly answerHeaders: (raw: readonly string[]) => PassedHeaders;
}

/** Passes a request to the program, and its answer back. Both are streamed. */
export function relayRequest(exchange: Exchange, response: ServerResponse): void {
  const { request, channel } = exchange;
  const outgoing = send(exchange, (error) => fail(response, error));
  if (outgoing === null) return;
  outgoing.once("response", (answer) => passAnswer(answer, exchange, response));
  response.once("close", () => end(outgoing, channel));
  if (response.destroyed) end(outgoing, channel);
  request.pipe(outgoing);
}

/** Passes an upgrade to the program, and joins the two connections if it agrees. */
export function relayUpgrade(exchange: Exchange, socket: Duplex, head: Buffer): void {
  const { channel } = exchange;
  const outgoing = send(exchange, (error) => refuseOnSocket(socket, forwardRefusal(error)));
  if (outgoing === null) return;
  socket.once("close", () => end(outgoing, channel));
  if (socket.destroyed) end(outgoing, channel);
  outgoing.once("upgrade", (answer, _channel, rest: Buffer) => {
    if (answer.headers.upgrade?.toLowerCase() !== "websocket")
      return void outgoing.destroy(new MgrError("conflict", "the program has changed to a protocol that is no WebSocket"));
    const lines = [...exchange.answerHeaders(answer.rawHeaders)].flatMap(([name, values]) =>
      values.map((value) => `${name}: ${value}\r\n`),
    );
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${lines.join("")}\r\n`, "latin1");
    if (rest.length > 0) socket.write(rest);
    if (head.length > 0) channel.write(head);
    // A WebSocket may be idle: it is the program that pings.
    if (socket instanceof Socket) socket.setTimeout(0);
    joinStreams(socket, channel);
  });
  outgoing.once("response", (answer) => {
    if (!(socket instanceof Socket)) return void outgoing.destroy(new MgrError("conflict", "the program has refused the WebSocket"));
    const response = new ServerResponse(exchange.request);
    // Node's parser is detached from this connection: it ends with this answer.
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once("finish", () => socket.destroySoon());
    passAnswer(answer, exchange, response);
  });
  outgoing.end();
}

/** Sends the headers of a request; null: they cannot be sent. `failed` is called before an answer only. */
function send({ request, channel, headers }: Exchange, failed: (error: unknown) => void): ClientRequest | null {
  const { method = "GET", url = "/" } = request;
  const isUpgrade = request.headers.upgrade !== undefined;
  const hasBody = request.headers["transfer-encoding"] !== undefined || request.headers["content-length"] !== undefined;
  try {
    const outgoing = httpRequest({ method, path: url, setHost: false, createConnection: () => channel });
    let isAnswered = false;
    const timer = setTimeout(
      () => outgoing.destroy(new MgrError("timeout", `the program has not answered within ${ANSWER_MS / 1_000} s`)),
      ANSWER_MS,
    );
    const answered = () => {
      isAnswered = true;
      clearTimeout(timer);
    };
    // These come first, so that they have run when the caller's listeners do.
    outgoing.once("response", answered).once("upgrade", answered);
    outgoing.once("close", () => clearTimeout(timer));
    outgoing.on("error", (error) => {
      channel.destroy();
      if (!isAnswered) failed(describe(error));
    });
    for (const [name, values] of headers) outgoing.setHeader(name, [...values]);
    if (isUpgrade) outgoing.setHeader("connection", "Upgrade").setHeader("upgrade", "websocket");
    // Without it, Node would send the body of some methods as it is, and the program could read it as another request.
    else if (hasBody && !headers.has("content-length")) outgoing.setHeader("transfer-encoding", "chunked");
    return outgoing;
  } catch (error) {
    channel.destroy();
    failed(new MgrError("bad_field", `the request cannot be passed on: ${messageOf(error)}`));
    return null;
  }
}

function passAnswer(answer: IncomingMessage, { answerHeaders }: Exchange, response: ServerResponse): void {
  response.statusCode = answer.statusCode ?? 502;
  for (const [name, values] of answerHeaders(answer.rawHeaders)) response.setHeader(name, [...values]);
  response.flushHeaders();
  // An error of the program in the middle of its answer cuts that of the client.
  pipeline(answer, response, () => {});
}

function end(outgoing: ClientRequest, channel: Duplex): void {
  outgoing.destroy();
  channel.destroy();
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) response.destroy();
  else refuse(response, forwardRefusal(error));
}

/** Errors of the parser and of a connection that ends early are those of the program. */
function describe(error: Error): Error {
  return error instanceof MgrError ? error : new MgrError("conflict", `the program gave no valid HTTP answer: ${error.message}`);
}
