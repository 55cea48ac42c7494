import { MgrError } from "../../base/errors.ts";
import { visible } from "../../base/text/visible-text.ts";
import { type Clock, pause } from "../../base/timing/clock.ts";
import type { TopicPlan } from "./player/topic-plan.ts";

/** A topic that a program publishes now. */
export interface LiveTopic {
  readonly name: string;
  readonly publisher: string;
  readonly publisher_host: string;
}

/** A publisher that has just ended is in the manager's table for a moment longer. */
const TRIES = 4;
const AGAIN_MS = 300;

/** The names that are published now. `request` returns all topics of the manager. */
export async function liveTopics(
  names: Iterable<string>,
  request: () => readonly LiveTopic[] | Promise<readonly LiveTopic[]>,
  clock: Clock,
): Promise<LiveTopic[]> {
  const wanted = new Set(names);
  for (let tries = 1; ; tries++) {
    const live = (await request()).filter(({ name }) => wanted.has(name));
    if (live.length === 0 || tries === TRIES) return live;
    await pause(clock, AGAIN_MS);
  }
}

/** Names the first of the topics that have a live publisher. `advice`: what to do besides ending it. */
export function liveText([first, ...others]: readonly LiveTopic[], advice: string): string {
  if (first === undefined) return "";
  const more = others.length === 0 ? "" : `, and ${others.length} more of the topics have publishers`;
  return visible(
    `'${first.name}' is published by '${first.publisher}' on ${first.publisher_host}${more}: end it, or ${advice}, so that its messages are not mixed with recorded ones`,
  );
}

/** The plan without live topics. Throws `not_found` if nothing is left. */
export function planWithout(plan: TopicPlan, live: readonly Pick<LiveTopic, "name" | "publisher">[]): TopicPlan {
  if (live.length === 0) return plan;
  const taken = new Set(live.map(({ name }) => name));
  const names = new Map([...plan.names].filter(([, name]) => !taken.has(name)));
  if (names.size === 0) throw new MgrError("not_found", "all topics of the recording are published now: nothing is left to play");
  return { names, notes: [...plan.notes, ...live.map(({ name, publisher }) => `'${name}' is left out: '${publisher}' publishes it`)] };
}
