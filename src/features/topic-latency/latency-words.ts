import { policyName } from "../../base/scheduling-policies.ts";
import type { AnswerOf } from "../../protocol/frames/frames.ts";
import type { LatencyFigures, LatencyPath, LatencyStage } from "./wire.ts";

/** The result of a measurement. */
export type Latency = Omit<Extract<AnswerOf<"measure_topic_latency">, { ok: true }>, "type" | "request_id" | "ok">;

/** Threads of one program that are listed: those that waited longest. */
export const LISTED_THREADS = 3;

/** Remarks about the figures, as sentences without their end. `hints`: what to do, where the command line and the page differ. */
export function remarks(
  { lost, unstamped, late, limit_ms, one_in, other_paths, unmatched, messages, paths }: Latency,
  hints: { readonly longer: string; readonly chain: string },
): string[] {
  const said: [boolean, string][] = [
    [lost > 0, `${lost} were lost before the broker (gaps in Mgr-Seq)`],
    [unstamped > 0, `${unstamped} do not state when they were published (Mgr-Time), and are not measured`],
    [limit_ms !== null, `${late} took longer than ${limit_ms} ms to the broker`],
    [one_in > 1, `more than can be measured: one in ${one_in} was`],
    [unmatched > 0, `${unmatched} did not pass the topics of the chain`],
    [other_paths > 0, `${other_paths} came by further chains, and are not measured: ${hints.chain}`],
    [paths.some(({ total }) => total.below_zero > 0), "some arrived before they were sent: the clocks differ by more than is known"],
    [messages === 0, `nothing was published: ${hints.longer}`],
  ];
  return said.filter(([isSo]) => isSo).map(([, text]) => text);
}

export const chainText = (topics: readonly string[]): string => topics.join(" → ");

/** The steps of a chain, and the whole chain if it has more than one. */
export function stepsOf({ topics, total, legs }: LatencyPath): { step: string; figures: LatencyFigures }[] {
  const steps = legs.map((figures, index) => ({ step: `${topics[index]} → ${topics[index + 1] ?? "broker"}`, figures }));
  return topics.length > 1 ? [...steps, { step: `${topics[0]} → broker (in all)`, figures: total }] : steps;
}

/** "FIFO 80", "OTHER". */
export const policyText = ({ policy, prio }: LatencyStage["threads"][number]): string =>
  `${policyName(policy).toUpperCase()}${prio > 0 ? ` ${prio}` : ""}`;
