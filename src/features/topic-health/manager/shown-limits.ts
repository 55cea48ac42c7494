import { subjectOfTopic } from "../../../base/topics/topic-subject.ts";
import type { Config } from "../../../config/definition.ts";
import type { RunCheck } from "../../../contract/run.ts";
import { formatTime } from "../../../protocol/time.ts";
import type { TopicLimit } from "../../data-plane/wire/topic.ts";
import { PUBLISHING, type TopicProbe } from "../contract.ts";
import { publishingProbes } from "../publishing.ts";

interface ShownLimitsOptions {
  readonly definitions: () => Config["processes"];
  /** The checks of the living run of a process. */
  readonly checksOf: (name: string) => readonly RunCheck[];
  /** Replaces the limits that a process names, by subject. */
  readonly replace: (name: string, limits: ReadonlyMap<string, TopicLimit>) => void;
}

/** Shows the limits of the configuration at their topics, with the last verdict of the host. */
export class ShownLimits {
  readonly #options: ShownLimitsOptions;
  /** Processes that name a topic now. */
  readonly #names = new Set<string>();

  constructor(options: ShownLimitsOptions) {
    this.#options = options;
  }

  updateAll(): void {
    for (const name of new Set([...this.#names, ...this.#options.definitions().keys()])) this.update(name);
  }

  update(name: string): void {
    const { definitions, checksOf, replace } = this.#options;
    const definition = definitions().get(name);
    const probes = definition === undefined ? [] : publishingProbes(definition);
    // Most of thousands of processes name no topic.
    if (probes.length === 0 && !this.#names.delete(name)) return;
    if (probes.length > 0) this.#names.add(name);
    const checks = checksOf(name).filter(({ condition }) => condition === PUBLISHING);
    const limitOf = (probe: TopicProbe) =>
      shown(
        probe,
        checks.find(({ about }) => about === probe.topic),
      );
    replace(name, new Map(probes.map((probe) => [subjectOfTopic(probe.topic), limitOf(probe)])));
  }
}

function shown({ min_rate, max_gap_ms, max_latency_ms }: TopicProbe, check: RunCheck | undefined): TopicLimit {
  const verdict =
    check === undefined
      ? { met: null, since: null, problem: null }
      : { met: check.problem === null, since: formatTime(check.since), problem: check.problem };
  return { min_rate, max_gap_ms, max_latency_ms, ...verdict };
}
