import type { HostFeature } from "../../../daemon/host-feature.ts";
import { dataPlaneHost } from "../../data-plane/host/index.ts";
import type { TopicProbe } from "../contract.ts";
import { publishingProbes } from "../publishing.ts";
import { watchPublishing } from "./publishing-watch.ts";
import { TopicMeters } from "./topic-meter.ts";
import { hasLimits, topicProblem } from "./topic-problem.ts";

/** Topics as a sign of health: probes of what the programs of this host publish, and whether a process counts as publishing. */
export const topicHealthHost: HostFeature<never> = {
  begin({ clock, use }) {
    const tap = use(dataPlaneHost);
    const meters = tap && new TopicMeters(tap, clock);
    return {
      service: null,
      handlers: {},
      probe: {
        kind: "topic",
        describe: ({ topic }: TopicProbe) => `topic '${topic}'`,
        begin: (probe: TopicProbe) => (done) => {
          if (meters === null) {
            done("this host has no broker");
            return () => {};
          }
          const isEnough = () => !hasLimits(probe) && done(null);
          const window = meters.begin(probe.topic, isEnough);
          // The next turn has read what arrived while this program was busy.
          const timer = clock.setTimeout(() => setImmediate(() => done(topicProblem(probe, window.measured()))), probe.interval_ms);
          return () => {
            clock.clearTimeout(timer);
            window.end();
          };
        },
      },
      watch(spec, report) {
        const probes = publishingProbes(spec);
        return meters === null || probes.length === 0 ? () => {} : watchPublishing({ probes, meters, clock, report });
      },
      close: () => meters?.close(),
    };
  },
};
