/**
 * Opens the page's WebSocket and requests the snapshot while the browser still loads the page's code. It is a script of its own, which the page
 * loads beside that code: small, so that it runs as soon as the page has arrived.
 */
import type { WebSocketLike } from "../../../src/client/link/websocket-link.ts";
import { FirstSocket } from "./first-socket.ts";

/** The address of the manager's WebSocket, without a query. */
export const socketAddress = `${location.origin.replace(/^http/, "ws")}/ws`;

// The query of a pop-out window's connection depends on its view, which the page's code reads.
const isWindow = new URLSearchParams(location.search).get("window") === "1";

/** Null: the page's code opens the first socket. */
export const firstSocket = isWindow ? null : new FirstSocket(new WebSocket(socketAddress) as unknown as WebSocketLike);
