import type { ActorKind, ActorKinds } from "../../actors/system.ts";
import { MgrError } from "../../base/errors.ts";
import type { Clock } from "../../base/timing/clock.ts";
import { SerialQueue } from "../../base/timing/serial-queue.ts";
import { untilWithin } from "../../base/timing/wait.ts";
import { type FocusedView, viewQuery } from "../../client/link/connect-options.ts";
import { ManagerClient } from "../../client/manager-client.ts";
import type { RequestOptions } from "../../client/requests.ts";
import type { ConfigInput } from "../../config/schema/schema.ts";
import { FeatureHandles } from "../../features/client.ts";
import type { ClientFrame } from "../../protocol/frames/frames.ts";
import { isRefusal, parseViewMode, type RequestedView } from "../../transport/view.ts";
import type { Transport } from "../../transport/websocket.ts";
import type { Engine } from "../engine.ts";
import type { EmbeddedManager, OpenPort } from "./embedded-manager.ts";
import { inProcessLink } from "./in-process-link.ts";

/** Timeout for the hello of the host in the same program, milliseconds. */
const HELLO_TIMEOUT_MS = 10_000;

interface Parts {
  engine: Engine;
  clock: Clock;
  transport: Transport;
  port: OpenPort | null;
  busUrl: string | null;
  /** Sets the configuration of the next reload; null: the file is read. */
  setNext: (config: ConfigInput | null) => void;
  /** Ends everything except the connections of this object. */
  release: () => Promise<void>;
}

/** The interface of an engine for the embedding program, through connections without sockets. */
export class InProcessManager extends FeatureHandles implements EmbeddedManager {
  readonly client: ManagerClient;
  readonly port: OpenPort | null;
  readonly busUrl: string | null;
  readonly #parts: Parts;
  readonly #clients: ManagerClient[] = [];
  readonly #reloads = new SerialQueue();
  #end: Promise<void> | null = null;

  constructor(parts: Parts) {
    super();
    this.#parts = parts;
    this.port = parts.port && { url: parts.port.url, login: parts.port.login };
    this.busUrl = parts.busUrl;
    this.client = this.connect();
  }

  get frames$() {
    return this.client.frames$;
  }

  get events$() {
    return this.client.events$;
  }

  get log$() {
    return this.client.log$;
  }

  process(name: string) {
    if (!this.#parts.engine.control.state.process(name)) throw unknown("process", name);
    return this.client.process(name);
  }

  group(name: string) {
    if (!this.#parts.engine.control.state.hasGroup(name)) throw unknown("group", name);
    return this.client.group(name);
  }

  host(name = this.#parts.engine.control.state.manager.host) {
    if (!this.#parts.engine.control.state.hosts().some(({ all_names }) => all_names.includes(name))) throw unknown("host", name);
    return this.client.host(name);
  }

  snapshot() {
    return this.client.snapshot();
  }

  request<F extends ClientFrame>(frame: F, options?: RequestOptions) {
    return this.client.request(frame, options);
  }

  send(frame: ClientFrame): boolean {
    return this.client.send(frame);
  }

  connect(view?: FocusedView): ManagerClient {
    const { engine, transport, clock } = this.#parts;
    if (this.#end) throw new MgrError("host_unavailable", "this manager has been disposed");
    const client = new ManagerClient(inProcessLink(transport, this.#viewMode(view, engine)), { clock });
    this.#clients.push(client);
    return client;
  }

  reload(config?: ConfigInput) {
    return this.#reloads.run(() => {
      this.#parts.setNext(config ?? null);
      return this.client.request({ type: "reload_config" }).finally(() => this.#parts.setNext(null));
    });
  }

  async stopAll(): Promise<void> {
    await this.#parts.engine.commands.stopEverything("the embedding program");
  }

  actor<K extends ActorKind>(kind: K, name: string): ActorKinds[K] {
    const actor = this.#parts.engine.system.get(kind, name);
    if (!actor) throw new MgrError("not_found", `there is no actor '${name}' of kind ${kind}`);
    return actor;
  }

  /** Resolves once commands are accepted; rejects with `timeout` if the host does not say hello. */
  async hostReady(): Promise<void> {
    const { engine, clock } = this.#parts;
    const subscribe = (check: () => void) =>
      engine.events.subscribe((event) => {
        if (event.type === "host_upsert") check();
      });
    const isReady = await untilWithin(() => engine.processTable.isHostReady(), subscribe, { forMs: HELLO_TIMEOUT_MS, clock });
    if (!isReady) throw new MgrError("timeout", `the host did not say hello within ${HELLO_TIMEOUT_MS} ms`);
  }

  close(): Promise<void> {
    this.#end ??= this.#close();
    return this.#end;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#parts.engine.beginShutdown();
    for (const client of this.#clients) client.link.close("this manager has been disposed");
    await this.#parts.release();
  }

  #viewMode(view: FocusedView | undefined, engine: Engine): RequestedView {
    const mode = parseViewMode(viewQuery(view), engine.control.state);
    if (isRefusal(mode)) throw new MgrError(mode.status === 404 ? "not_found" : "bad_field", mode.message);
    return mode;
  }
}

function unknown(what: "process" | "group" | "host", name: string): MgrError {
  return new MgrError("not_found", `there is no ${what} '${name}'`);
}
