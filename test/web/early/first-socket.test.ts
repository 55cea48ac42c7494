import { expect, test } from "vitest";
import { type WebSocketLike, webSocketLink } from "../../../src/client/link/websocket-link.ts";
import { ManagerClient } from "../../../src/client/manager-client.ts";
import { FIRST_REQUEST, FirstSocket } from "../../../web/src/early/first-socket.ts";

/** The manager's end of a socket. */
class Wire implements WebSocketLike {
  readonly sent: string[] = [];
  readyState = 0;
  bufferedAmount = 0;
  onopen: WebSocketLike["onopen"] = null;
  onmessage: WebSocketLike["onmessage"] = null;
  onclose: WebSocketLike["onclose"] = null;
  onerror: WebSocketLike["onerror"] = null;

  accept(): void {
    this.readyState = 1;
    this.onopen?.();
  }

  frame(frame: object): void {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }

  send(text: string): void {
    this.sent.push(text);
  }

  close(code = 1000, reason = ""): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.onclose?.({ code, reason });
  }
}

const snapshot = (request_id?: string) => ({
  type: "snapshot",
  ...(request_id === undefined ? {} : { request_id }),
  processes: [{ name: "a/b" }],
  host_list: [],
  process_tree: [],
});

/** A page's code that takes the socket, and requests a snapshot as soon as it is open. `frames`: what it receives, by type. */
function pageOn(socket: FirstSocket) {
  const sockets: WebSocketLike[] = [];
  const link = webSocketLink({
    open: () => {
      const next = sockets.length === 0 ? socket.take() : new Wire();
      sockets.push(next);
      return next;
    },
    retry: { first: 1, max: 1 },
  });
  const client = new ManagerClient(link);
  const frames: string[] = [];
  const states: string[] = [];
  const answers: unknown[] = [];
  link.frames$.subscribe(({ type }) => frames.push(type));
  link.state$.subscribe(({ kind }) => {
    states.push(kind);
    if (kind === "open") answers.push(client.request(FIRST_REQUEST).catch((error: Error) => error.message));
  });
  return { client, frames, states, answers, sockets };
}

test("the snapshot is requested once, when the connection opens, and what arrives before the page's code is delivered in order", async () => {
  const wire = new Wire();
  const socket = new FirstSocket(wire);
  wire.accept();
  expect(wire.sent).toEqual([JSON.stringify(FIRST_REQUEST)]);
  wire.frame(snapshot("first"));
  wire.frame({ type: "process_remove", name: "a/b" });
  const page = pageOn(socket);
  await expect.poll(() => page.frames).toEqual(["snapshot", "process_remove"]);
  await expect(page.answers[0]).resolves.toMatchObject({ type: "snapshot", request_id: "first" });
  wire.frame({ type: "process_remove", name: "c" });
  expect(page.frames).toHaveLength(3);
  expect(wire.sent).toHaveLength(1);
  page.client.close();
});

test("a connection that opens after the page's code was loaded requests the snapshot once, too", async () => {
  const wire = new Wire();
  const page = pageOn(new FirstSocket(wire));
  await new Promise((resolve) => setTimeout(resolve));
  expect(page.states).not.toContain("open");
  wire.accept();
  wire.frame(snapshot("first"));
  await expect(page.answers[0]).resolves.toMatchObject({ type: "snapshot" });
  expect(wire.sent).toHaveLength(1);
  page.client.close();
});

test("a second snapshot is requested from the manager", async () => {
  const wire = new Wire();
  const socket = new FirstSocket(wire);
  wire.accept();
  wire.frame(snapshot("first"));
  const page = pageOn(socket);
  await expect.poll(() => page.answers.length).toBe(1);
  await page.answers[0];
  const again = page.client.request(FIRST_REQUEST);
  expect(wire.sent).toHaveLength(2);
  wire.frame(snapshot("first"));
  await expect(again).resolves.toMatchObject({ type: "snapshot" });
  page.client.close();
});

test("a connection that was closed before the page's code was loaded is opened again", async () => {
  const wire = new Wire();
  const socket = new FirstSocket(wire);
  wire.accept();
  wire.close(1012, "shutting down");
  const page = pageOn(socket);
  await expect.poll(() => page.sockets.length).toBe(2);
  expect(page.states).toEqual(["connecting", "waiting", "connecting"]);
  expect(page.frames).toEqual([]);
  page.client.close();
});

test("the connection is closed if more arrives than the page can keep", () => {
  const wire = new Wire();
  new FirstSocket(wire);
  wire.accept();
  const part = "x".repeat(16 * 1024 * 1024);
  for (let count = 0; count < 8; count++) wire.onmessage?.({ data: part });
  expect(wire.readyState).toBe(1);
  wire.onmessage?.({ data: "x" });
  expect(wire.readyState).toBe(3);
});
