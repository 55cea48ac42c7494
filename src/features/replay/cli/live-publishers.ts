import { messageOf } from "../../../base/errors.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { systemClock } from "../../../base/timing/clock.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { withManager } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { type LiveTopic, liveText, liveTopics, planWithout } from "../live-topics.ts";
import type { TopicPlan } from "../player/topic-plan.ts";

/** Advice for the user of the command about a live publisher. */
export const LIVE_ADVICE = "use --remap, --topics or --skip-live";

/**
 * The plan without topics that are published now on any host, also by programs that have not registered them, if `skipsLive`; otherwise
 * fails and names them. Those of this host that are registered are refused by its broker anyway.
 */
export async function withoutLive(plan: TopicPlan, flags: ConnectionFlags, skipsLive: boolean): Promise<TopicPlan> {
  const live = await livePublishers(plan, flags);
  if (live.length > 0 && !skipsLive) throw new CommandFailure(EXIT.failed, liveText(live, LIVE_ADVICE));
  return planWithout(plan, live);
}

async function livePublishers({ names }: TopicPlan, flags: ConnectionFlags): Promise<LiveTopic[]> {
  try {
    return await withManager(flags, (client) =>
      liveTopics(names.values(), async () => (await client.request({ type: "request_topics" })).topics, systemClock),
    );
  } catch (error) {
    process.stderr.write(
      `mgr: ${visible(`the manager does not answer, so it is not known whether other hosts or unregistered programs publish these topics: ${messageOf(error)}`)}\n`,
    );
    return [];
  }
}
