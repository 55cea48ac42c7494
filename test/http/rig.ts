import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WebSocket } from "ws";
import { tryLockFile } from "../../src/app/serve-http.ts";
import { createHttpServer, type HttpServer, type HttpServerOptions, loadAssets } from "../../src/http/index.ts";
import type { AcceptOptions, Transport } from "../../src/transport/websocket.ts";
import { accessOf } from "../support/access.ts";
import { FakeControl } from "../support/fakes/fake-control.ts";

export const USER = "ann";
export const PASSWORD = "right horse: battery";

export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}
export const GOOD = basic(USER, PASSWORD);
export const BAD = basic(USER, "wrong");

/** A transport that keeps the WebSockets it was given. */
class RecordingTransport implements Pick<Transport, "accept" | "connect" | "frames" | "connections"> {
  readonly accepted: { ws: WebSocket; options: AcceptOptions }[] = [];
  readonly frames = { received: 0, sent: 0 };

  connections() {
    return [];
  }

  connect(): never {
    throw new Error("this server has no manager behind it");
  }

  accept(ws: WebSocket, options: AcceptOptions): void {
    ws.on("error", () => ws.terminate());
    this.accepted.push({ ws, options });
  }

  close(code: number, reason: string): void {
    for (const { ws } of this.accepted) ws.close(code, reason);
  }
}

/** A real server on a free port, with an auth file and a built page in a folder of its own. */
export class Rig implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "mgr-http-"));
  readonly authFile = join(this.folder, "webui.keys");
  readonly assetsDir = join(this.folder, "web");
  readonly control = new FakeControl(["sim/world", "sim/eyes", "lone"]);
  readonly transport = new RecordingTransport();
  readonly logged: string[] = [];
  #server: HttpServer | null = null;

  static async start(options: Partial<HttpServerOptions> = {}): Promise<Rig> {
    const rig = new Rig();
    mkdirSync(join(rig.assetsDir, "assets"), { recursive: true });
    writeFileSync(join(rig.assetsDir, "index.html"), "<!doctype html><html><head><title>mgr</title></head><body></body></html>");
    writeFileSync(join(rig.assetsDir, "icon.svg"), "<svg/>");
    writeFileSync(join(rig.assetsDir, "assets/index-abc.js"), "console.log('mgr')");
    writeFileSync(join(rig.assetsDir, "assets/index-abc.js.br"), "pretend this is brotli");
    rig.writeAuth(`${USER} ${PASSWORD}\nbob secret\n`);
    await rig.listen(options);
    return rig;
  }

  options(options: Partial<HttpServerOptions> = {}): HttpServerOptions {
    const { control, transport, authFile, assetsDir } = this;
    return {
      control,
      access: accessOf(),
      extensions: control.extensions,
      transport,
      authFile,
      localSocket: null,
      listen: { host: "127.0.0.1", port: 0 },
      assets: loadAssets(assetsDir),
      allowedHosts: ["bench.lab"],
      allowedOrigins: [],
      certificate: null,
      isHttpsOnly: false,
      configFiles: () => [],
      lock: tryLockFile,
      log: (level, msg) => this.logged.push(`${level}: ${msg}`),
      ...options,
    };
  }

  async listen(options: Partial<HttpServerOptions> = {}): Promise<void> {
    this.#server = await createHttpServer(this.options(options));
  }

  get server(): HttpServer {
    if (!this.#server) throw new Error("the server is not started");
    return this.#server;
  }

  get host(): string {
    return `127.0.0.1:${this.server.port}`;
  }

  writeAuth(content: string, mode = 0o600): void {
    writeFileSync(this.authFile, content);
    chmodSync(this.authFile, mode);
  }

  get(path: string, headers: Record<string, string> = {}, init: RequestInit = {}): Promise<Response> {
    return fetch(this.server.localUrl + path, { headers, redirect: "manual", ...init });
  }

  /** Logs in and gives the session cookie as a Cookie header. */
  async cookie(authorization = GOOD): Promise<string> {
    const response = await this.get("/mgr/log", { authorization });
    await response.text();
    return cookieOf(response.headers.get("set-cookie"));
  }

  async close(): Promise<void> {
    this.transport.close(1001, "shutting down");
    await this.server.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function cookieOf(setCookie: string | null | undefined): string {
  return setCookie?.split(";")[0] ?? "";
}

/** Sends `text` on a connection of its own and resolves with everything that comes until the server closes it. */
export function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text, "latin1"));
    let answer = "";
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => {
      answer += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(answer));
  });
}

/** Reads a socket until `isEnough`, and leaves it open. */
export async function readUntil(socket: Socket, isEnough: (text: string) => boolean): Promise<string> {
  let text = "";
  for (;;) {
    const chunk: Buffer | null = socket.read();
    if (chunk) text += chunk.toString("latin1");
    if (isEnough(text)) return text;
    if (socket.readableEnded || socket.destroyed) throw new Error(`the connection ended after ${JSON.stringify(text)}`);
    await new Promise<void>((resolve) => {
      const wake = () => {
        socket.off("readable", wake).off("end", wake).off("close", wake);
        resolve();
      };
      socket.once("readable", wake).once("end", wake).once("close", wake);
    });
  }
}

export function upgradeRequest(path: string, host: string, headers: Record<string, string> = {}): string {
  const all = {
    Host: host,
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    ...headers,
  };
  return `GET ${path} HTTP/1.1\r\n${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}\r\n`;
}
