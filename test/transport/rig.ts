import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { WebSocket, WebSocketServer } from "ws";
import { ActorSystem } from "../../src/actors/system.ts";
import { ADMIN_GRANTS } from "../../src/base/access/access.ts";
import type { CommandObserver } from "../../src/base/command-observer.ts";
import { systemClock } from "../../src/base/timing/clock.ts";
import type { OutputWindow } from "../../src/contract/messages.ts";
import { OutputHub } from "../../src/transport/output/output-hub.ts";
import type { OutputSource } from "../../src/transport/output/window-requester.ts";
import { WEBSOCKET_SERVER_OPTIONS } from "../../src/transport/oversize.ts";
import { isRefusal, parseViewMode } from "../../src/transport/view.ts";
import { createTransport } from "../../src/transport/websocket.ts";
import { FakeControl } from "../support/fakes/fake-control.ts";

export interface Frame {
  type: string;
  // Frames are looked at by the assertions of the tests, not by types.
  [field: string]: unknown;
}

interface RigOptions {
  readonly stallMs?: number;
  readonly observer?: CommandObserver;
}

/** A transport behind a real server on loopback; `control`, `hub` and, without a `source`, the output are in the test's hands. */
export async function startRig(names: string[], source?: OutputSource, { stallMs, observer }: RigOptions = {}) {
  const control = new FakeControl(names);
  const windows: OutputWindow[] = [];
  const noted: OutputSource = { window: (_host, list) => windows.push(...list), hostOf: () => "testhost" };
  const hub = new OutputHub({ clock: systemClock, source: source ?? noted });
  const system = new ActorSystem({ clock: systemClock, log() {} });
  const extensions = observer === undefined ? control.extensions : [...control.extensions, { observer }];
  const transport = createTransport({ control, extensions, hub, system, assetHash: "hash", stallMs });
  const server = createServer();
  const upgrades = new WebSocketServer(WEBSOCKET_SERVER_OPTIONS);
  server.on("upgrade", (request, socket: Socket, head) => {
    socket.on("error", () => socket.destroy());
    const mode = parseViewMode(new URL(request.url ?? "/", "http://localhost").searchParams, control);
    if (isRefusal(mode)) {
      socket.end(`HTTP/1.1 ${mode.status} refused\r\n\r\n`);
      return;
    }
    const address = `${socket.remoteAddress}:${socket.remotePort}`;
    upgrades.handleUpgrade(request, socket, head, (ws) => {
      transport.accept(ws, {
        principal: { user: "ada", via: "basic", address, grants: ADMIN_GRANTS },
        mode,
        client: null,
        address,
        socket,
      });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const clients = new Set<Client>();
  return {
    control,
    hub,
    windows,
    transport,
    async connect(query = ""): Promise<Client> {
      const client = new Client(new WebSocket(`ws://127.0.0.1:${port}/ws${query}`));
      clients.add(client);
      await once(client.ws, "open");
      return client;
    },
    /** Lets go of a client that has closed. */
    forget(client: Client): void {
      clients.delete(client);
    },
    /** Output of `name`, as its host would send it. */
    output(name: string, offset: number, text: string): void {
      hub.receive("testhost", { name, stream_id: "s1", offset, gap: 0, data: Buffer.from(text) });
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.ws.terminate();
      transport.close(1001, "test is over");
      system.stopAll();
      hub.close();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** A client that keeps every frame it got, in order. */
export class Client {
  readonly ws: WebSocket;
  readonly frames: Frame[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  #read = 0;
  #wake: () => void = () => {};
  #requests = 0;

  constructor(ws: WebSocket) {
    this.ws = ws;
    ws.on("error", () => {});
    ws.on("message", (data) => {
      this.frames.push(JSON.parse(String(data)) as Frame);
      this.#wake();
    });
    this.closed = new Promise((resolve) => ws.once("close", (code, reason) => resolve({ code, reason: String(reason) })));
  }

  send(frame: object): void {
    this.ws.send(JSON.stringify(frame));
  }

  /** The next frame, in order, that was not looked at before. */
  async next(): Promise<Frame> {
    for (;;) {
      const frame = this.frames[this.#read];
      if (frame) {
        this.#read++;
        return frame;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Skips to the next frame of `type`. */
  async nextOf(type: string): Promise<Frame> {
    for (;;) {
      const frame = await this.next();
      if (frame.type === type) return frame;
    }
  }

  /** Sends a frame with a request_id and skips to its answer. */
  async ask(frame: object): Promise<Frame> {
    const request_id = `request ${++this.#requests}`;
    this.send({ ...frame, request_id });
    for (;;) {
      const answer = await this.next();
      if (answer.request_id === request_id) return answer;
    }
  }
}
