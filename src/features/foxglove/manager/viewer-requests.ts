import { MgrError, messageOf } from "../../../base/errors.ts";
import { parseJson } from "../../../base/json.ts";
import type { Requester } from "../../../client/requests.ts";
import { isWellKnownName } from "../../data-plane/samples/well-known-name.ts";
import { MAX_CLIENT_CHANNELS } from "../limits.ts";
import { callResponse } from "./binary-message.ts";
import type { BinaryMessage, ClientChannel } from "./client-message.ts";
import { RequestTurns } from "./request-turns.ts";
import type { ViewerQueue } from "./viewer-queue.ts";

/** An endpoint of a service. */
export interface Endpoint {
  readonly service: string;
  readonly endpoint: string;
}

interface ViewerRequestsOptions {
  /** Requests with the permissions of the viewer. */
  readonly client: Pick<Requester, "request">;
  readonly queue: Pick<ViewerQueue, "send">;
  readonly endpoint: (serviceId: number) => Endpoint | undefined;
}

/** Requests of a viewer: it publishes topics and calls services. */
export class ViewerRequests {
  readonly #options: ViewerRequestsOptions;
  readonly #channels = new Map<number, ClientChannel>();
  readonly #turns = new RequestTurns();

  constructor(options: ViewerRequestsOptions) {
    this.#options = options;
  }

  /** Throws `bad_field` and `busy`. */
  advertise(channel: ClientChannel): void {
    const { id, topic, encoding } = channel;
    if (encoding !== "json") throw new MgrError("bad_field", `'${topic}' cannot be published in the encoding '${encoding}': use json`);
    if (this.#channels.has(id)) throw new MgrError("bad_field", `the channel ${id} is advertised already: choose another id`);
    if (this.#channels.size >= MAX_CLIENT_CHANNELS)
      throw new MgrError("busy", `at most ${MAX_CLIENT_CHANNELS} topics can be published: unadvertise some first`);
    this.#channels.set(id, channel);
  }

  /** Throws `not_found`. */
  unadvertise(id: number): void {
    if (!this.#channels.delete(id)) throw new MgrError("not_found", `the channel ${id} was not advertised`);
  }

  /** Runs a request of a message with this many bytes. Rejects with its refusal, and with `busy` while too many wait. */
  run(bytes: number, request: () => Promise<unknown>): Promise<void> {
    return this.#turns.run(bytes, request);
  }

  async publish({ channelId, data }: Extract<BinaryMessage, { op: "message" }>): Promise<void> {
    const channel = this.#channels.get(channelId);
    if (channel === undefined) throw new MgrError("not_found", `the channel ${channelId} was not advertised`);
    const { topic: name } = channel;
    const value = parseJson(data.toString());
    if (value === undefined) throw new MgrError("bad_field", `the message for '${name}' is not JSON`);
    const definition = definitionOf(channel);
    await this.run(data.length, () => this.#options.client.request({ type: "publish_topic", name, value, ...definition }));
  }

  /** Answers in any case. */
  async call({ serviceId, callId, encoding, data }: Extract<BinaryMessage, { op: "call" }>): Promise<void> {
    const { client, queue, endpoint: find } = this.#options;
    try {
      const found = find(serviceId);
      if (found === undefined) throw new MgrError("not_found", `there is no service ${serviceId}`);
      if (encoding !== "json") throw new MgrError("bad_field", `a request in the encoding '${encoding}' is not supported: use json`);
      const request = parseJson(data.toString());
      if (request === undefined) throw new MgrError("bad_field", "the request is not JSON");
      const { service: name, endpoint } = found;
      await this.run(data.length, async () => {
        const { response } = await client.request({ type: "call_service", name, endpoint, request });
        queue.send(callResponse(serviceId, callId, response));
      });
    } catch (error) {
      queue.send({ op: "serviceCallFailure", serviceId, callId, message: messageOf(error) });
    }
  }
}

/** A viewer may name one of Foxglove's messages without its schema. */
function definitionOf({ schemaEncoding, schema, schemaName }: ClientChannel) {
  if (schemaEncoding === "jsonschema" && schema !== "") return { definition: schema, definition_name: schemaName };
  return schema === "" && isWellKnownName(schemaName) ? { definition: schemaName } : {};
}
