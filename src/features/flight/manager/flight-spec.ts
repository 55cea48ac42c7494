import type { FlightSettings, TriggerSettings } from "../config.ts";
import type { FlightSpec, HostTrigger } from "../contract.ts";
import { parseTopicCondition } from "../topic-condition.ts";

/** Bound of the ring on disk where there are several hosts and `disk` is left out: a host that is cut off keeps what the others ask for later. */
const DISK_OF_SEVERAL_HOSTS = 256 * 1024 * 1024;

/** Nothing is kept, and nothing fires. */
const NOTHING: FlightSpec = { memory: 0, disk: 0, span_ms: 1_000, topics: [], max_rate: null, terminals: [], triggers: [] };

/** Settings for each host; null: the flight recorder is not configured. */
export function flightSpec(settings: FlightSettings | null, hosts: number): FlightSpec {
  if (settings === null) return NOTHING;
  const { memory, seconds, disk, topics, max_rate, terminals, triggers } = settings;
  return {
    memory,
    disk: disk ?? (hosts > 1 ? DISK_OF_SEVERAL_HOSTS : 0),
    span_ms: seconds * 1_000,
    topics: [...topics],
    max_rate,
    terminals: [...terminals],
    triggers: [...triggers].flatMap(([name, trigger]) => hostTrigger(name, trigger) ?? []),
  };
}

/** Null: the manager judges it. */
function hostTrigger(name: string, trigger: TriggerSettings): HostTrigger | null {
  const when = condition(trigger);
  const { before, after, quiet } = trigger;
  return when === null ? null : { name, before_ms: before, after_ms: after, quiet_ms: quiet, when };
}

/** The keys were checked when the configuration was read: what a kind of trigger needs is there. */
function condition({ on, processes, states, matches, when, topic, gap, min_rate, max_rate }: TriggerSettings): HostTrigger["when"] | null {
  switch (on) {
    case "crash":
      return { kind: "crash", processes: [...processes] };
    case "state":
      return { kind: "state", processes: [...processes], states: [...states] };
    case "output":
      return { kind: "output", processes: [...processes], pattern: matches ?? "" };
    case "gap":
      return { kind: "gap", topic: topic ?? "", gap_ms: gap ?? 0 };
    case "rate":
      return { kind: "rate", topic: topic ?? "", min: min_rate, max: max_rate };
    case "topic": {
      const parsed = parseTopicCondition(when ?? "", topic ?? undefined);
      return typeof parsed === "string" ? null : { kind: "topic", ...parsed };
    }
    case "network":
      return null;
  }
}
