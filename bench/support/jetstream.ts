// The part of the JSON API of JetStream that benchmarks need: https://docs.nats.io/reference/reference-protocols/nats_api_reference
import type { Bus } from "../../src/bus/client/bus.ts";

const TIMEOUT_MS = 10_000;

async function ask(bus: Bus, subject: string, body: object): Promise<Record<string, unknown>> {
  const { data } = await bus.request(subject, JSON.stringify(body), { timeoutMs: TIMEOUT_MS });
  const answer = JSON.parse(Buffer.from(data).toString()) as Record<string, unknown>;
  if (answer.error !== undefined) throw new Error(`${subject} was refused: ${JSON.stringify(answer.error)}`);
  return answer;
}

export const createStream = (bus: Bus, stream: { readonly name: string; readonly [setting: string]: unknown }) =>
  ask(bus, `$JS.API.STREAM.CREATE.${stream.name}`, stream);

export async function storedMessages(bus: Bus, stream: string): Promise<number> {
  const { state } = await ask(bus, `$JS.API.STREAM.INFO.${stream}`, {});
  return (state as { messages: number }).messages;
}

/** Delivers all messages of a stream, and those to come, on a subject. */
export const deliver = (bus: Bus, stream: string, subject: string) =>
  ask(bus, `$JS.API.CONSUMER.CREATE.${stream}`, {
    stream_name: stream,
    config: { deliver_subject: subject, deliver_policy: "all", ack_policy: "none" },
  });
