/**
 * Opens the page's WebSocket and requests the snapshot while the browser still loads the page's code. It is part of the page's HTML
 * (web/vite.config.js), so that it runs at once.
 */
import type { WebSocketLike } from "../../../src/client/link/websocket-link.ts";
import { early, FirstSocket, socketAddress } from "./first-socket.ts";

// The query of a pop-out window's connection depends on its view, which the page's code reads.
const isWindow = new URLSearchParams(location.search).get("window") === "1";

if (!isWindow) early.mgrFirstSocket = new FirstSocket(new WebSocket(socketAddress()) as unknown as WebSocketLike);
