import { once } from "node:events";
import { FoxgloveClient } from "@foxglove/ws-protocol";
import { WebSocket } from "ws";
import { z } from "zod";
import type { EmbeddedManager } from "../../../../src/app/embedded/embedded-manager.ts";
import type { Role } from "../../../../src/base/access/access.ts";
import { UntilTrue } from "./until-true.ts";

export type Text = Readonly<Record<string, unknown>> & { readonly op: string };
const message = z.looseObject({ op: z.string() });
const channels = z.looseObject({
  channels: z.array(z.looseObject({ id: z.number(), topic: z.string(), schemaName: z.string(), schema: z.string() })),
});
const services = z.looseObject({ services: z.array(z.object({ id: z.number(), name: z.string() }).loose()) });

export async function urlToken(manager: EmbeddedManager, name: string, role: Role, more: { on?: string[]; may_download?: true } = {}) {
  return (await manager.request({ type: "create_access_token", name, role, for_url: true, ...more })).secret;
}

export const addressOf = (manager: EmbeddedManager, path: string): string => new URL(path, manager.port?.url).href;

/** The status with which an upgrade is refused; 101: it is not. */
export async function upgradeStatus(url: string, headers: Record<string, string> = {}, protocols = ["foxglove.sdk.v1"]): Promise<number> {
  const ws = new WebSocket(url.replace(/^http/, "ws"), protocols, { headers });
  ws.on("error", () => {});
  const status = await Promise.race([
    once(ws, "open").then(() => 101),
    once(ws, "unexpected-response").then(([, response]) => (response as { statusCode: number }).statusCode),
  ]);
  ws.terminate();
  return status;
}

/** A viewer that is written from the published specification; `client` is that of `@foxglove/ws-protocol` on the same WebSocket. */
export class TestViewer implements Disposable {
  readonly ws: WebSocket;
  readonly client: FoxgloveClient;
  readonly texts: Text[] = [];
  readonly binaries: Buffer[] = [];
  readonly #changed = new UntilTrue();

  constructor(manager: EmbeddedManager, token: string, protocol = "foxglove.websocket.v1") {
    this.ws = new WebSocket(addressOf(manager, `/mgr/foxglove?token=${token}`).replace(/^http/, "ws"), [protocol]);
    this.client = new FoxgloveClient({ ws: this.ws as unknown as ConstructorParameters<typeof FoxgloveClient>[0]["ws"] });
    this.ws.addEventListener("message", ({ data }) => {
      if (typeof data === "string") this.texts.push(message.parse(JSON.parse(data)));
      else this.binaries.push(Buffer.from(data as ArrayBuffer));
      this.#changed.check();
    });
  }

  /** Resolves with the first text message that fits. */
  async text(op: string, fits: (text: Text) => boolean = () => true): Promise<Text> {
    const find = () => this.texts.find((text) => text.op === op && fits(text));
    return this.#changed.found(find);
  }

  /** Resolves with the first binary message of this opcode that fits. */
  async binary(opcode: number, fits: (bytes: Buffer) => boolean = () => true): Promise<Buffer> {
    return this.#changed.found(() => this.binaries.find((bytes) => bytes[0] === opcode && fits(bytes)));
  }

  async channel(topic: string) {
    const find = () =>
      this.texts.flatMap((text) => (text.op === "advertise" ? channels.parse(text).channels : [])).findLast((each) => each.topic === topic);
    return this.#changed.found(find);
  }

  async service(name: string): Promise<number> {
    const find = () =>
      this.texts
        .flatMap((text) => (text.op === "advertiseServices" ? services.parse(text).services : []))
        .find((each) => each.name === name);
    return (await this.#changed.found(find)).id;
  }

  send(value: unknown): void {
    this.ws.send(typeof value === "string" || Buffer.isBuffer(value) ? value : JSON.stringify(value));
  }

  [Symbol.dispose](): void {
    this.ws.terminate();
  }
}
