import { readFileSync } from "node:fs";
import { join } from "node:path";
import { headers } from "@nats-io/nats-core";
import { type ServiceMsg, Svcm } from "@nats-io/services";
import { connect, type NatsConnection } from "@nats-io/transport-node";

const DEFINITION = { title: "ArmState", type: "object", properties: { position: { type: "number", description: "rad" } } };
const SCHEMA = { type: "object", properties: { position: { type: "number" } } };
const GAIN = { name: "gain", type: "float", unit: "", minimum: 0, maximum: 10, description: "Of the position loop.", input: "1" };

/**
 * A program on the bus of this machine: it publishes the topic arm/state, provides the services arm/move_to and scope, and has the
 * parameter gain. Its parameters arm/mute never answer.
 */
export class BusProgram {
  readonly #connection: NatsConnection;
  #seq = 0;
  #override = { value: "1", enabled: false };

  static async start(stateDir: string): Promise<BusProgram> {
    const url = new URL(readFileSync(join(stateDir, "bus.url"), "utf8").trim());
    const program = new BusProgram(await connect({ servers: url.host, token: url.username, name: "arm/controller" }));
    await program.#begin();
    return program;
  }

  private constructor(connection: NatsConnection) {
    this.#connection = connection;
  }

  publish(position: number): void {
    this.publishText(JSON.stringify({ position }));
  }

  publishText(text: string): void {
    const about = headers();
    about.set("Mgr-Seq", String(++this.#seq));
    this.#connection.publish("topic.arm.state", text, { headers: about });
  }

  /** Resolves when the broker has taken what was published. */
  flush(): Promise<void> {
    return this.#connection.flush();
  }

  end(): Promise<void> {
    return this.#connection.close();
  }

  async #begin(): Promise<void> {
    const topic = { name: "arm/state", encoding: "json", definition: JSON.stringify(DEFINITION), keep_last: true };
    const about = { name: "arm/controller", pid: process.pid, library_version: 1, topics: [topic] };
    await this.#connection.request("mgr.client.register", JSON.stringify(about));
    await this.#provide("arm/move_to", "demo.MoveTo", "svc.arm.move_to", {
      call: ({ position }) => ({ reached: position }),
    });
    await this.#provide("scope", "mgr.scope.v1", "svc.scope", { open: () => ({}) });
    await this.#provide("arm/controller/parameters", "mgr.parameters.v1", "svc.arm.controller.parameters.1", {
      list: () => ({ parameters: [this.#gain()] }),
      set_override: ({ parameter, enabled, value }) => {
        this.#override = { enabled: enabled === true, value: enabled === true ? String(value) : this.#override.value };
        return { parameter, ...this.#override };
      },
      request_topic: ({ parameter }) => ({ topic: parameter }),
    });
    await this.#provide("arm/mute", "mgr.parameters.v1", "svc.arm.mute.1", { list: () => null });
  }

  #gain(): object {
    const { value, enabled } = this.#override;
    return { ...GAIN, output: enabled ? value : GAIN.input, override_value: value, override_enabled: enabled };
  }

  async #provide(
    name: string,
    interfaceName: string,
    subject: string,
    endpoints: Record<string, (request: Record<string, unknown>) => object | null>,
  ) {
    const shapes = Object.fromEntries(Object.keys(endpoints).map((key) => [key, { request: SCHEMA, response: SCHEMA, description: "" }]));
    const metadata = {
      name,
      interface: JSON.stringify({ name: interfaceName, endpoints: shapes }),
      provider: "arm/controller",
      host: "bench",
    };
    const service = await new Svcm(this.#connection).add({ name: name.replaceAll("/", "_"), version: "1.0.0", metadata });
    for (const [endpoint, answer] of Object.entries(endpoints))
      service.addEndpoint(endpoint, {
        subject: `${subject}.${endpoint}`,
        handler: (_error: Error | null, message: ServiceMsg) => {
          const response = answer(message.json<Record<string, unknown>>());
          if (response !== null) message.respond(JSON.stringify(response));
        },
      });
  }
}
