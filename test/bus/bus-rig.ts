import { mkdtemp, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Broker, type BrokerOptions, createBroker } from "../../src/bus/broker/broker.ts";
import type { Bus } from "../../src/bus/client/bus.ts";
import { type ConnectBusOptions, connectBus } from "../../src/bus/client/connect-bus.ts";

/** A broker on a unix socket, and everything that a test opened on it, closed at the end. */
export class BusRig {
  readonly path: string;
  broker: Broker;
  readonly #folder: string;
  readonly #open: { close(): unknown }[] = [];

  private constructor(folder: string, broker: Broker) {
    this.#folder = folder;
    this.path = join(folder, "bus.sock");
    this.broker = broker;
  }

  static async start(options: BrokerOptions = {}): Promise<BusRig> {
    const rig = new BusRig(await mkdtemp(join(tmpdir(), "mgr-bus-")), createBroker(options));
    await rig.broker.listenUnix(rig.path);
    return rig;
  }

  async bus(name: string, options: Partial<ConnectBusOptions> = {}): Promise<Bus> {
    const bus = await connectBus({ server: { kind: "unix", path: this.path }, name, ...options });
    this.#open.push(bus);
    return bus;
  }

  async memoryBus(name: string, options: Partial<ConnectBusOptions> = {}): Promise<Bus> {
    const bus = await connectBus({ server: { kind: "memory", broker: this.broker }, name, ...options });
    this.#open.push(bus);
    return bus;
  }

  /** A connection without a library: what comes is collected. */
  async raw(): Promise<RawClient> {
    const client = await RawClient.connect(this.path);
    this.#open.push(client);
    return client;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const one of this.#open.reverse()) await one.close();
    await this.broker.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

export class RawClient {
  readonly socket: Socket;
  #chunks: Buffer[] = [];
  isClosed = false;
  #changed: (() => void)[] = [];

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (bytes) => {
      this.#chunks.push(bytes);
      this.#send();
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      this.isClosed = true;
      this.#send();
    });
  }

  static async connect(place: string | { host: string; port: number }): Promise<RawClient> {
    const socket = typeof place === "string" ? connect(place) : connect(place);
    const client = new RawClient(socket);
    await client.until((text) => text.endsWith("\r\n"));
    return client;
  }

  /** Joined when it is read: a connection may receive thousands of chunks. */
  get received(): Buffer {
    if (this.#chunks.length !== 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] as Buffer;
  }

  set received(bytes: Buffer) {
    this.#chunks = [bytes];
  }

  get text(): string {
    return this.received.toString("latin1");
  }

  send(data: string | Uint8Array): void {
    this.socket.write(data);
  }

  /** Waits until what was received satisfies `condition`, or the end, and returns it. */
  async until(condition: (text: string) => boolean): Promise<string> {
    while (!condition(this.text) && !this.isClosed) await new Promise<void>((resolve) => this.#changed.push(resolve));
    return this.text;
  }

  async end(): Promise<string> {
    while (!this.isClosed) await new Promise<void>((resolve) => this.#changed.push(resolve));
    return this.text;
  }

  close(): void {
    this.socket.destroy();
  }

  #send(): void {
    for (const resolve of this.#changed.splice(0)) resolve();
  }
}
