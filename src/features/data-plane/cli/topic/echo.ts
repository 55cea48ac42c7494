import { visible } from "../../../../base/text/visible-text.ts";
import { CommandFailure, EXIT } from "../../../../cli/command/exit-codes.ts";
import { connectManager, whileConnected } from "../../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../../cli/manager/connection-target.ts";
import type { ManagerClient } from "../../../../client/manager-client.ts";
import type { DataClient } from "../../client/index.ts";
import { type FieldPath, parseFieldPath } from "../../field-path.ts";
import { busAddress, connectData } from "./bus.ts";
import { awaitedTopic } from "./find-topic.ts";
import { followOnBus, followOnManager, MAX_SAMPLED_RATE } from "./follow-topic.ts";
import { asCsv, asField, asJson, asYaml, type SampleFormat } from "./sample.ts";
import { UntilEnd } from "./until-end.ts";

export interface EchoFlags extends ConnectionFlags {
  field?: string;
  csv?: boolean;
  json?: boolean;
  once?: boolean;
  /** Time-out in seconds. */
  timeout?: number;
}

/** `mgr topic echo NAME`: prints messages as they come; all of them from the bus of this machine, else samples from the manager. */
export async function topicEcho(name: string, flags: EchoFlags): Promise<void> {
  const format = formatOf(flags);
  const address = await busAddress(flags);
  let manager: ManagerClient | null = null;
  let data: DataClient | null = null;
  try {
    manager = await connectManager(flags).catch((error: unknown) => {
      // The bus works without the manager.
      if (address === null) throw error;
      warn("the manager cannot be reached: whether this topic exists is not known");
      return null;
    });
    if (manager !== null) await awaitedTopic(manager, name);
    if (address !== null) data = await connectData(address, "mgr topic echo", warn);
    await follow(name, { data, manager }, { format, ...flags });
  } finally {
    await data?.close();
    manager?.close();
  }
}

async function follow(
  name: string,
  { data, manager }: { data: DataClient | null; manager: ManagerClient | null },
  { format, once = false, timeout }: { format: SampleFormat; once?: boolean; timeout?: number },
): Promise<void> {
  const end = new UntilEnd(name, timeout);
  let isOver = false;
  const receive = (sample: Parameters<SampleFormat>[0]) => {
    if (isOver) return;
    const text = format(sample);
    // A message without the field does not count.
    if (text === "") return;
    end.came();
    process.stdout.write(text);
    if (!once) return;
    isOver = true;
    end.stop();
  };
  if (data === null && !once) warn(`without the bus of this machine: at most ${MAX_SAMPLED_RATE} messages a second are shown`);
  const followed =
    data !== null ? followOnBus(data, name, receive, warn) : manager !== null ? await followOnManager(manager, name, receive) : null;
  try {
    await (data === null && manager !== null ? whileConnected(manager, () => end.wait()) : end.wait());
  } finally {
    const missed = followed?.missed() ?? 0;
    if (missed > 0) warn(`${missed} messages were missed`);
    const undecoded = followed?.undecoded() ?? 0;
    if (undecoded > 0) warn(`${undecoded} messages could not be decoded by the definition of the topic`);
    followed?.close();
  }
}

export function formatOf({ field, csv, json }: Pick<EchoFlags, "field" | "csv" | "json">): SampleFormat {
  const path = field === undefined ? null : pathOf(field);
  if (json) return asJson(path);
  if (csv) return asCsv(path);
  return path === null ? asYaml() : asField(path);
}

function pathOf(text: string): FieldPath {
  const path = parseFieldPath(text);
  if (path === null) throw new CommandFailure(EXIT.usage, `'${text}' is not the path of a field; examples: position[0], pose.x`);
  return path;
}

function warn(text: string): void {
  process.stderr.write(`mgr: ${visible(text)}\n`);
}
