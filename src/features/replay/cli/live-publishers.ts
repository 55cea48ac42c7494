import { pause, systemClock } from "../../../base/clock.ts";
import { messageOf } from "../../../base/errors.ts";
import { visible } from "../../../base/visible-text.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { withManager } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import type { TopicPlan } from "../player/topic-plan.ts";

interface LiveTopic {
  readonly name: string;
  readonly publisher: string;
  readonly publisher_host: string;
}

/** A publisher that has just ended is in the manager's table for a moment longer. */
const TRIES = 4;
const AGAIN_MS = 300;

/**
 * The plan without topics that are published now on any host, also by programs that have not registered them, if `skipsLive`; otherwise
 * fails and names them. Those of this host that are registered are refused by its broker anyway.
 */
export async function withoutLive(plan: TopicPlan, flags: ConnectionFlags, skipsLive: boolean): Promise<TopicPlan> {
  const live = await livePublishers(plan, flags);
  if (live.length === 0) return plan;
  if (!skipsLive) throw new CommandFailure(EXIT.failed, liveText(live));
  const taken = new Set(live.map(({ name }) => name));
  const names = new Map([...plan.names].filter(([, name]) => !taken.has(name)));
  if (names.size === 0) throw new CommandFailure(EXIT.notFound, "all topics of the recording are published now: nothing is left to play");
  return { names, notes: [...plan.notes, ...live.map(({ name, publisher }) => `'${name}' is left out: '${publisher}' publishes it`)] };
}

/** Names the first of the topics that have a live publisher. */
export function liveText([first, ...others]: readonly LiveTopic[]): string {
  if (first === undefined) return "";
  const more = others.length === 0 ? "" : `, and ${others.length} more of the topics have publishers`;
  return visible(
    `'${first.name}' is published by '${first.publisher}' on ${first.publisher_host}${more}: end it, or use --remap, --topics or --skip-live, so that its messages are not mixed with recorded ones`,
  );
}

async function livePublishers({ names }: TopicPlan, flags: ConnectionFlags): Promise<LiveTopic[]> {
  const wanted = new Set(names.values());
  try {
    return await withManager(flags, async (client) => {
      for (let tries = 1; ; tries++) {
        const { topics } = await client.request({ type: "request_topics" });
        const live = topics.filter(({ name }) => wanted.has(name));
        if (live.length === 0 || tries === TRIES) return live;
        await pause(systemClock, AGAIN_MS);
      }
    });
  } catch (error) {
    process.stderr.write(
      `mgr: ${visible(`the manager does not answer, so it is not known whether other hosts or unregistered programs publish these topics: ${messageOf(error)}`)}\n`,
    );
    return [];
  }
}
