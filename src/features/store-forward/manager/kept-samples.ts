import type { z } from "zod";
import type { ManagerCore } from "../../../app/feature.ts";
import { type Answers, askAllHosts } from "../../../app/hosts/all-hosts.ts";
import type { Grant } from "../../../base/access/access.ts";
import { MgrError } from "../../../base/errors.ts";
import { compileFnmatch } from "../../../base/patterns/fnmatch.ts";
import { withTimeout } from "../../../base/timing/wait.ts";
import type { AnswerOf } from "../../../protocol/frames/frames.ts";
import { EMPTY_STEP, isSeen, type ManagerDataPlane } from "../../data-plane/manager/index.ts";
import type { TraceStep } from "../../data-plane/wire/topic-trace.ts";
import type { STORE_FORWARD_REQUESTS } from "../contract.ts";
import { keptText } from "../kept-text.ts";
import type { KeptTopic } from "../wire.ts";

export type FoundSamples = Omit<AnswerOf<"request_kept_samples">, "type" | "request_id">;
/** The kept samples of a topic, or of all topics; with the roles of a user on some processes, those that the user sees. */
export type FindKept = (topic: string | null, grants: readonly Grant[] | null) => Promise<FoundSamples>;

/** A host whose link hangs counts as away after this time, milliseconds: `mgr topic why` waits for all hosts. */
const ANSWER_MS = 2_000;
type HostAnswers = Answers<z.infer<(typeof STORE_FORWARD_REQUESTS)["store_forward_status"]["response"]>>;
const NONE: FoundSamples = { is_named: false, topics: [], other_topics: 0, away: [] };

interface FindOptions {
  /** The patterns of `store_forward.topics`. */
  readonly patterns: () => readonly string[];
  /** Asks all hosts for the samples of a topic, or of all topics. */
  readonly ask: (topic: string | null) => Promise<HostAnswers>;
  readonly ownersOf: ManagerDataPlane["ownersOf"];
}

export function findKept({ patterns, ask, ownersOf }: FindOptions): FindKept {
  return async (topic, grants) => {
    const named = patterns();
    // Hosts delete what they have kept.
    if (named.length === 0) return NONE;
    const { answers, away } = await ask(topic);
    const all: KeptTopic[] = answers.flatMap(({ host, value }) => value.topics.map((each) => ({ ...each, host })));
    return {
      is_named: topic === null || named.some((pattern) => compileFnmatch(pattern)(topic)),
      topics: all.filter((each) => isSeen(grants, ownersOf({ topic: each.topic }))),
      other_topics: answers.reduce((sum, { value }) => sum + value.other_topics, 0),
      away,
    };
  };
}

/** Asks all hosts. Those that cannot be reached, or hang, are named. */
export function askHosts({ hosts, clock }: Pick<ManagerCore, "clock" | "hosts">, topic: string | null): Promise<HostAnswers> {
  return askAllHosts(hosts, (session) => {
    const answer = session.command((id) => session.link.request("store_forward_status", { session: id, topic }));
    return withTimeout(answer, ANSWER_MS, () => new MgrError("timeout", "the host did not answer in time"), clock);
  });
}

/** The stores on the path of a topic: stores with samples of it, and that of its publisher's host. */
export async function storeSteps(find: FindKept, topic: string, host: string | null): Promise<TraceStep[]> {
  const { is_named, topics, away } = await find(topic, null);
  const steps = topics.map((kept) => {
    const { samples, sent, dropped } = kept;
    return { ...storeStep(kept.host, keptText(kept)), messages: sent, waiting: samples, dropped };
  });
  if (host === null || !is_named || topics.some((kept) => kept.host === host)) return steps;
  const note = away.includes(host)
    ? "it keeps samples while its link is cut; it cannot be asked how many: its daemon is not connected"
    : "it keeps samples while its link is cut; none so far";
  return [...steps, storeStep(host, note)];
}

const storeStep = (host: string, note: string): TraceStep => ({ ...EMPTY_STEP, kind: "store", name: host, host, note });
