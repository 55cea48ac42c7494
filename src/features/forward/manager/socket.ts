import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { MgrError } from "../../../base/errors.ts";
import type { SocketRequest, SocketRoute } from "../../../http/extension.ts";
import { needsInGeneral } from "../../../http/route.ts";
import { endWhenUnanswered, pingWhileIdle } from "../../../transport/websocket-pings.ts";
import { closeReason } from "../byte-channel.ts";
import { FORWARD_PATH, type ForwardOpened, MAX_FORWARD_FRAME_BYTES } from "../forward-socket.ts";
import { forwardRefusal } from "./forward-refusal.ts";
import type { ManagerForwards } from "./manager-forwards.ts";
import type { OpenForward } from "./open-forward.ts";

/** `/mgr/forward/ws`: opens a forward, or carries a connection of one. */
export function forwardSocket(forwards: Pick<ManagerForwards, "open" | "connect">): SocketRoute {
  return {
    path: FORWARD_PATH,
    needs: needsInGeneral("operator"),
    maxFrameBytes: MAX_FORWARD_FRAME_BYTES,
    isShared: false,
    hasEffects: true,
    async open(request) {
      try {
        const id = request.query.get("forward");
        const serve = id === null ? await openForward(forwards, request) : await openConnection(forwards, request, id);
        return { label: { kind: "mgr_remote", name: request.principal.user }, serve };
      } catch (error) {
        return forwardRefusal(error);
      }
    },
  };
}

async function openForward(forwards: Pick<ManagerForwards, "open">, { principal, query, socket }: SocketRequest) {
  const port = portOf(query.get("port") ?? "");
  let ws: WebSocket | null = null;
  let end: ((socket: WebSocket) => void) | null = null;
  const forward = await forwards.open(principal, { host: query.get("host") ?? "", port }, (reason, code) => {
    end = (accepted) => accepted.close(code, closeReason(reason));
    if (ws !== null) end(ws);
  });
  const disconnected = () => forward.close("its client has disconnected");
  socket.once("close", disconnected);
  if (socket.destroyed) disconnected();
  return (accepted: WebSocket) => {
    ws = accepted;
    serveForward(ws, forward);
    end?.(ws);
  };
}

function serveForward(ws: WebSocket, forward: OpenForward): void {
  // ws closes by itself after a protocol error.
  ws.on("error", () => ws.terminate());
  ws.on("message", () => ws.close(1003, "a forward is opened by connecting; nothing is sent here"));
  endWhenUnanswered(ws);
  const { id, host } = forward.options;
  ws.send(JSON.stringify({ type: "forward_opened", id, host } satisfies ForwardOpened));
}

async function openConnection(forwards: Pick<ManagerForwards, "connect">, { principal, socket }: SocketRequest, id: string) {
  const { forward, stream } = await forwards.connect(id, principal.user);
  socket.once("close", () => stream.destroy());
  if (socket.destroyed) stream.destroy();
  return (ws: WebSocket) => carry(ws, forward, stream);
}

function carry(ws: WebSocket, forward: OpenForward, stream: Duplex): void {
  pingWhileIdle(ws);
  forward.carry(stream, ws);
}

/** Throws `bad_field`. */
export function portOf(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new MgrError("bad_field", "'port' must be a whole number from 1 to 65535");
}
