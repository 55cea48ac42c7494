import { readFile } from "node:fs/promises";
import { messageOf } from "../../../../base/errors.ts";
import { parseJson } from "../../../../base/json.ts";
import { visible } from "../../../../base/text/visible-text.ts";
import { pause, systemClock } from "../../../../base/timing/clock.ts";
import { CommandFailure, EXIT } from "../../../../cli/command/exit-codes.ts";
import { untilInterrupted } from "../../../../cli/command/interrupt.ts";
import type { ConnectionFlags } from "../../../../cli/manager/connection-target.ts";
import type { TopicDefinition, TopicPublisher } from "../../client/index.ts";
import { jsonSchemaProblem } from "../../client/json-schema-problem.ts";
import { definitionOf, withWellKnownSchema } from "../../client/topic-publisher.ts";
import { isWellKnownName } from "../../samples/well-known-name.ts";
import { connectData, needBusAddress } from "./bus.ts";

export interface PubFlags extends ConnectionFlags {
  /** Messages per second. */
  rate?: number;
  once?: boolean;
  definition?: string;
  definitionName?: string;
  keepLast?: boolean;
  /** Duration of publishing at a rate, seconds. */
  timeout?: number;
}

/** Time before the connection is closed, milliseconds: subscribers request the definition when the first message arrives. */
const LINGER_MS = 500;

/** `mgr topic pub NAME VALUE`: publishes the JSON value once, or at a rate until Ctrl-C. */
export async function topicPub(name: string, text: string, flags: PubFlags): Promise<void> {
  const value = parseJson(text);
  if (value === undefined) throw new CommandFailure(EXIT.usage, `the value is not JSON; examples: '{"position": [1, 2]}', 2.5, '"text"'`);
  const definition = flags.definition === undefined ? {} : await readDefinition(flags.definition);
  const schema = await withWellKnownSchema(definition);
  const problem = typeof schema === "object" ? jsonSchemaProblem(schema, value) : null;
  if (problem !== null) throw new CommandFailure(EXIT.usage, `the value does not fit the definition: ${problem}`);
  const address = await needBusAddress(flags, "mgr topic pub");
  const client = await connectData(address, "mgr topic pub", (message) => process.stderr.write(`mgr: ${visible(message)}\n`));
  try {
    const publisher = await client.publisher(name, definition, {
      keepLast: flags.keepLast ?? false,
      ...(flags.definitionName === undefined ? {} : { definitionName: flags.definitionName }),
    });
    if (flags.rate === undefined || flags.once) publish(publisher, value);
    else await repeat(publisher, value, flags.rate, flags.timeout);
    await client.flush();
    await pause(systemClock, LINGER_MS);
  } finally {
    await client.close();
  }
}

function publish(publisher: TopicPublisher, value: unknown): void {
  if (!publisher.publish(value)) throw new CommandFailure(EXIT.failed, `the message was not sent: there is no connection to the bus`);
}

async function repeat(publisher: TopicPublisher, value: unknown, rate: number, seconds: number | undefined): Promise<void> {
  const begin = performance.now();
  const end = seconds === undefined ? Number.POSITIVE_INFINITY : begin + seconds * 1_000;
  await untilInterrupted(async (interrupted) => {
    for (let next = begin; next < end && !interrupted.aborted; ) {
      // A lost connection is restored; messages meanwhile are counted as unsent.
      publisher.publish(value);
      next += 1_000 / rate;
      await pause(systemClock, Math.max(0, Math.min(next, end) - performance.now()), interrupted);
    }
  });
  const { sent, unsent } = publisher.counters;
  process.stderr.write(`mgr: ${sent} messages sent${unsent === 0 ? "" : `, ${unsent} not sent (no connection)`}\n`);
}

async function readDefinition(file: string): Promise<TopicDefinition> {
  if (isWellKnownName(file)) return file;
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new CommandFailure(EXIT.usage, `cannot read the definition ${file}: ${messageOf(error)}`);
  });
  return definitionOf(text);
}
