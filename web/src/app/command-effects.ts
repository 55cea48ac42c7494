import { canStop } from "../../../src/client/shown/along.ts";
import type { Process } from "../../../src/protocol/resources/resources.ts";

export type Verb = "start" | "stop" | "restart";
type Node = Pick<Process, "name">;

/** Names in a question; more are counted. */
const MAX_NAMED = 6;

/** Whether the command makes sense for a process now. */
export function canDo(verb: Verb, { state, requested_state }: Pick<Process, "state" | "requested_state">): boolean {
  const idle = state === "stopped" || state === "error";
  if (verb === "start") return idle || state === "backoff" || (state === "stopping" && requested_state === "stop");
  if (verb === "stop") return canStop({ state, requested_state });
  return true;
}

interface Effects {
  members: readonly Node[];
  /** Members that run, or are about to. */
  active: readonly Node[];
  /** What ends with them. */
  along: readonly Node[];
}

const WORDS = {
  start: { title: "Start", ends: "" },
  stop: { title: "Stop", ends: "stop" },
  restart: { title: "Restart", ends: "restart" },
} as const;

/** What is asked before a command: how many processes it ends, and what depends on them. */
export function questionOf(verb: Verb, title: string, { members, active, along }: Effects) {
  const word = WORDS[verb].title;
  const count = verb === "start" ? members.length : active.length + along.length;
  const one = active.length === 1 && members.length === 1;
  const sentences =
    verb === "start"
      ? [members.length === 1 ? "" : `${members.length} processes are started.`]
      : [
          one ? "" : `${counted(active.length)} ${active.length === 1 ? "runs" : "run"}, or are about to: ${named(active)}.`,
          along.length === 0
            ? ""
            : `${counted(along.length)} ${along.length === 1 ? "depends" : "depend"} on ${one ? "it" : "them"} and ${WORDS[verb].ends}${along.length === 1 ? "s" : ""}, too: ${named(along)}.`,
        ];
  return {
    title: `${word} ${title}?`,
    text: sentences.filter((sentence) => sentence !== "").join(" "),
    yes: count > 1 ? `${word} ${count} processes` : word,
    isDanger: verb !== "start",
  };
}

const counted = (count: number) => (count === 1 ? "1 process" : `${count} processes`);

function named(processes: readonly Node[]): string {
  const names = processes.slice(0, MAX_NAMED).map(({ name }) => name);
  const more = processes.length - names.length;
  return more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", ");
}
