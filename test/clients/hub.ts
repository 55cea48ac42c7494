import { headers, type MsgHdrs } from "@nats-io/nats-core";
import { parseJson } from "../../src/base/json.ts";
import type { Bus } from "../../src/bus/client/bus.ts";
import type { BusMessage } from "../../src/bus/client/bus-message.ts";
import { Tcp, TOKEN } from "../bus/carriers.ts";

export interface Registered {
  name: string;
  pid: number;
  library_version: number;
  svc_debug: boolean;
  topics: { name: string; encoding: string; definition: string; definition_name: string; keep_last: boolean }[];
}

/** A broker, and a connection of the test's own that sees what programs send. */
export class Hub implements AsyncDisposable {
  readonly tcp = new Tcp();
  /** Newest registration by name, and how often each name registered. */
  readonly registered = new Map<string, Registered>();
  readonly registrations = new Map<string, number>();
  /** Topics that "another client" has. */
  readonly taken = new Set<string>();
  #bus: Bus | null = null;

  static async start(): Promise<Hub> {
    const hub = new Hub();
    await hub.begin();
    return hub;
  }

  get url(): string {
    return `nats://${TOKEN}@127.0.0.1:${this.tcp.port}`;
  }

  get bus(): Bus {
    if (!this.#bus) throw new Error("the hub is closed");
    return this.#bus;
  }

  /** On the port that it had before. */
  async begin(): Promise<void> {
    await this.tcp.begin();
    this.#bus = await this.tcp.bus("test");
    this.bus.subscribe("mgr.client.register", (message) => this.#register(message));
    await this.bus.flush();
  }

  async end(): Promise<void> {
    await this.#bus?.close();
    await this.tcp.end();
  }

  /** What arrives on a subject from now on. */
  async collect(subject: string): Promise<BusMessage[]> {
    const messages: BusMessage[] = [];
    this.bus.subscribe(subject, ({ subject, reply, data, headers }) => {
      messages.push({ subject, reply, data: Uint8Array.from(data), headers });
    });
    await this.bus.flush();
    return messages;
  }

  /** Publishes with these headers. */
  send(subject: string, data: Uint8Array | string, marks: Record<string, string> = {}): void {
    const sent: MsgHdrs = headers();
    for (const [key, value] of Object.entries(marks)) sent.set(key, value);
    this.bus.publish(subject, data, { headers: sent });
  }

  #register({ data, reply }: BusMessage): void {
    const body = parseJson(Buffer.from(data).toString()) as Registered;
    this.registrations.set(body.name, (this.registrations.get(body.name) ?? 0) + 1);
    this.registered.set(body.name, body);
    const problems = body.topics
      .filter(({ name }) => this.taken.has(name))
      .map(({ name }) => ({ topic: name, code: "conflict", message: `the topic '${name}' is published by 'other'` }));
    if (reply) this.bus.publish(reply, JSON.stringify({ ok: true, name: body.name, host: "bench", server: "leaf", problems }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.tcp[Symbol.asyncDispose]();
  }
}
