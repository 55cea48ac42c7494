import type { Clock } from "../../../base/timing/clock.ts";
import type { RunCheck } from "../../../contract/run.ts";
import { PUBLISHING, type TopicProbe } from "../contract.ts";
import type { TopicMeters } from "./topic-meter.ts";
import { hasLimits, topicProblem } from "./topic-problem.ts";

interface PublishingWatch {
  readonly probes: readonly TopicProbe[];
  readonly meters: TopicMeters;
  readonly clock: Clock;
  /** Called with all checks at the first result of each topic, and when one begins or ceases to hold. */
  readonly report: (checks: readonly RunCheck[]) => void;
}

/** Checks in one window after the other whether topics arrive by their limits. Returns the function that ends it. */
export function watchPublishing({ probes, meters, clock, report }: PublishingWatch): () => void {
  const found = new Map<string, RunCheck>();
  const result = (about: string, problem: string | null) => {
    const before = found.get(about);
    // The reason keeps the figure with which the limit was passed.
    if (before !== undefined && (before.problem === null) === (problem === null)) return;
    found.set(about, { condition: PUBLISHING, about, problem, since: clock.now() });
    report([...found.values()]);
  };
  const ends = probes.map((probe) => watchTopic(probe, { meters, clock }, (problem) => result(probe.topic, problem)));
  return () => {
    for (const end of ends) end();
  };
}

function watchTopic(
  probe: TopicProbe,
  { meters, clock }: Pick<PublishingWatch, "meters" | "clock">,
  result: (problem: string | null) => void,
): () => void {
  let isOver = false;
  let timer: unknown = null;
  let endWindow = () => {};
  const begin = () => {
    const window = meters.begin(probe.topic, () => !hasLimits(probe) && result(null));
    endWindow = window.end;
    // The next turn has read what arrived while this program was busy.
    timer = clock.setTimeout(() => setImmediate(judge), probe.interval_ms);
    const judge = () => {
      if (isOver) return;
      result(topicProblem(probe, window.measured()));
      window.end();
      begin();
    };
  };
  begin();
  return () => {
    isOver = true;
    clock.clearTimeout(timer);
    endWindow();
  };
}
