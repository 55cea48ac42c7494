import { counted } from "../../../src/base/text/counted.ts";
import { canStop } from "../../../src/client/shown/along.ts";
import type { Process } from "../../../src/protocol/resources/resources.ts";

export type Verb = "start" | "stop" | "restart";
type Node = Pick<Process, "name">;

/** Maximum number of process names in a question; the others are counted. */
const MAX_NAMED = 6;
/** Maximum number of names of dependents: the user has not chosen them, so more are named. */
const MAX_NAMED_ALONG = 60;

/** Whether the command makes sense for a process now. */
export function canDo(verb: Verb, { state, requested_state }: Pick<Process, "state" | "requested_state">): boolean {
  const idle = state === "stopped" || state === "error";
  if (verb === "start") return idle || state === "backoff" || (state === "stopping" && requested_state === "stop");
  if (verb === "stop") return canStop({ state, requested_state });
  // A restart is under way.
  return !(state === "stopping" && requested_state === "start");
}

interface Effects {
  members: readonly Node[];
  /** Members that run or are about to run. */
  active: readonly Node[];
  /** Dependents that end with them. */
  along: readonly Node[];
}

/** A process that a command ends; with `confirm` the user has to confirm it first. */
type Ending = Pick<Process, "name" | "confirm">;

/**
 * Whether a command asks for confirmation: it ends members of a group or list, dependents of a process, or a process that is configured to
 * be confirmed; or it starts a list of processes, which the user has not named.
 */
export function needsQuestion(
  verb: Verb,
  kind: "process" | "group" | "all" | "list",
  { active, along }: { active: readonly Ending[]; along: readonly unknown[] },
): boolean {
  if (verb === "start") return kind === "list";
  return kind === "process" ? along.length > 0 || active.some(({ confirm }) => confirm) : active.length > 0;
}

const WORDS = { start: "Start", stop: "Stop", restart: "Restart" } as const;

/** The confirmation question of a command: the processes that it ends and starts, and their dependents. */
export function questionOf(verb: Verb, title: string, { members, active, along }: Effects, word: string = WORDS[verb]) {
  const running = new Set(active.map(({ name }) => name));
  // A restart starts the members that do not run.
  const starting = verb === "stop" ? [] : members.filter(({ name }) => !running.has(name));
  const count = active.length + starting.length + along.length;
  const one = members.length === 1;
  const beginning = one || starting.length === 0 ? "" : `${processes(starting.length)} will start: ${named(starting)}.`;
  const ending = one || active.length === 0 ? "" : `${processes(active.length)} will ${verb}: ${named(active)}.`;
  const depending = `${processes(along.length)} that ${along.length === 1 ? "depends" : "depend"} on ${one ? "it" : "them"} will ${verb}, too: ${named(along, MAX_NAMED_ALONG)}.`;
  const sentences = [ending, beginning, along.length === 0 ? "" : depending];
  return {
    title: `${word} ${title}?`,
    text: sentences.filter((sentence) => sentence !== "").join(" "),
    yes: count > 1 ? `${word} ${count} processes` : word,
    isDanger: verb !== "start",
  };
}

const processes = (count: number): string => counted(count, "process", "processes");

function named(processes: readonly Node[], most = MAX_NAMED): string {
  const names = processes.slice(0, most).map(({ name }) => name);
  const more = processes.length - names.length;
  return more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", ");
}
