import { MgrError } from "../../../src/base/errors.ts";
import { topicLatencyExtension } from "../../../src/features/topic-latency/manager/index.ts";
import type { LatencyRequest, LatencyResult, TopicLatency } from "../../../src/features/topic-latency/manager/topic-latency.ts";

/** Nothing is published. */
export class FakeTopicLatency implements TopicLatency {
  readonly extension = topicLatencyExtension(this);

  async measure({ name }: LatencyRequest): Promise<LatencyResult> {
    throw new MgrError("not_found", `there is no topic '${name}'`);
  }
}
