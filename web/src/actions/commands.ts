import { computed, effect, signal } from "@preact/signals";
import { findGroup } from "../../../src/client/mirror.ts";
import { dependentsAmong, stillStoppedWith, stoppedAlong } from "../../../src/client/shown/along.ts";
import { shownState } from "../../../src/client/shown/shown-state.ts";
import type { Process, ProcessState } from "../../../src/protocol/resources/resources.ts";
import { mayAll, refusalOf } from "../state/access.ts";
import { allProcesses, client, command, processOf, tree } from "../state/store.ts";
import type { View } from "../state/views.ts";
import { isConnected } from "../ui/connected.ts";
import { confirm } from "../ui/dialog.tsx";
import { complain, dismiss, toast } from "../ui/toasts.ts";
import { processesOf } from "./actions.ts";
import { canDo, needsQuestion, questionOf, type Verb } from "./command-effects.ts";
import { stopped } from "./undo.ts";

/** The target of a command: a process, a group, all processes, or a list of processes. */
export type Target =
  | { kind: "process" | "group"; name: string }
  | { kind: "all" }
  | {
      kind: "list";
      title: string;
      names: readonly string[];
      /** The word for the command, if it is not the verb's own: starting failed processes is called "Restart". */
      word?: string;
    };

/**
 * Sends a command of the user, after a question if it needs one (docs/decisions/0057-what-asks.md). Stopped processes can be started again
 * from a toast. Buttons, rows, keys, menus and the palette all start, stop and restart processes through this function.
 */
export async function request(verb: Verb, target: Target): Promise<void> {
  if (!isConnected.peek()) {
    complain(new Error("Disconnected: nothing can be started or stopped."));
    return;
  }
  const forbidden = forbiddenOf(verb, target);
  if (forbidden !== null) {
    complain(new Error(forbidden));
    return;
  }
  const { members, active, along } = effectsOf(verb, target);
  if (needsQuestion(verb, target.kind, { active, along })) {
    const word = target.kind === "list" ? target.word : undefined;
    const question = questionOf(verb, titleOf(target), { members, active, along }, word);
    if (!(await confirm(question))) return;
  }
  const isSent = await sendOnce(
    verb,
    target,
    members.map(({ name }) => name),
  );
  if (isSent && verb === "start") offerReturn(members.map(({ name }) => name));
  if (isSent && verb === "start" && target.kind === "list") offerStop(target.names);
  if (isSent && verb === "restart" && target.kind === "process") toast(`Restarting ${target.name}`);
  if (!isSent || verb !== "stop" || active.length === 0) return;
  offerUndo(
    active.map(({ name }) => name),
    along.map(({ name }) => name),
  );
}

const DOING = { start: "Starting", stop: "Stopping", restart: "Restarting" } as const;

/** Why the user may not do this; null: the user may. */
export function forbiddenOf(verb: Verb, target: Target): string | null {
  if (mayAll()) return null;
  for (const frame of framesOf(verb, target)) {
    const refusal = refusalOf(frame, DOING[verb]);
    if (refusal !== null) return refusal;
  }
  return null;
}

/** Whether a command asks before it acts. */
export const asks = (verb: Verb, target: Target): boolean => needsQuestion(verb, target.kind, effectsOf(verb, target));

/** Sends the command of a button; ignores the second click of a double click, since the button changes with the state. */
export function requestByClick({ detail }: MouseEvent, verb: Verb, target: Target): void {
  if (detail < 2) void request(verb, target);
}

/** Restarts all failed processes, after a question that states their number. */
export function restartFailed(): void {
  const target = failedOnes();
  if (target.names.length > 0) void request("start", target);
}

/** All failed processes, as a target. */
export function failedOnes(): Extract<Target, { kind: "list" }> {
  const names = allProcesses().flatMap((process) => (shownState(process) === "error" ? [process.name] : []));
  const title = names.length === 1 ? `${names[0]}` : `${names.length} failed processes`;
  return { kind: "list", title, names, word: "Restart" };
}

/** Handles the key of a command. Returns whether the view has commands: only views of processes and groups do. */
export function requestForView(verb: Verb, view: View): boolean {
  if (view.kind !== "process" && view.kind !== "group") return false;
  // The page's state may be outdated: the manager decides whether there is anything to do.
  if (view.kind === "group" || processOf(view.name)) void request(verb, view);
  return true;
}

/** The requests that have not taken effect yet, by target; a later request replaces the earlier one. */
const pending = new Map<string, { verb: Verb }>();

/** Sends a command, unless the same one is pending. Resolves with whether it was accepted. */
async function sendOnce(verb: Verb, target: Target, names: readonly string[]): Promise<boolean> {
  const key = target.kind === "list" ? `list ${target.names.join(" ")}` : `${target.kind} ${"name" in target ? target.name : ""}`;
  const before = pending.get(key)?.verb;
  // A second press while a start is pending does not restart: the button says "Restart" by then, and the user meant the first press.
  if (before === verb || (before === "start" && verb === "restart")) return false;
  const own = { verb };
  pending.set(key, own);
  const forget = () => {
    if (pending.get(key) === own) pending.delete(key);
  };
  const known = names.map((name) => processOf(name));
  const isAccepted = (await Promise.all(framesOf(verb, target).map((frame) => command(frame)))).some(Boolean);
  if (isAccepted) void untilSettled(names, known).then(forget);
  else forget();
  return isAccepted;
}

/** Maximum wait for the first effect of a command, ms; some commands have none, such as starting a process that runs. */
const MAX_EFFECT_MS = 2_000;

/** Resolves when one of `names` differs from `before` and none of them is being started or stopped. */
function untilSettled(names: readonly string[], before: readonly (Process | undefined)[]): Promise<void> {
  const isOver = signal(false);
  const timer = setTimeout(() => {
    isOver.value = true;
  }, MAX_EFFECT_MS);
  return new Promise((resolve) => {
    const end = effect(() => {
      const hasEffect = isOver.value || names.some((name, index) => processOf(name) !== before[index]);
      if (!hasEffect || names.some((name) => CHANGING.has(processOf(name)?.state ?? "stopped"))) return;
      clearTimeout(timer);
      resolve();
      // `end` is not assigned yet while the effect runs for the first time.
      queueMicrotask(() => end());
    });
  });
}

const CHANGING: ReadonlySet<ProcessState> = new Set<ProcessState>(["starting", "stopping"]);

/** Found once for each change: the palette asks about each action that it shows. */
const dependents = computed(() => dependentsAmong(allProcesses()));

/** The targets of a command, those that it ends, and the dependents that end with them. */
function effectsOf(verb: Verb, target: Target) {
  const members = membersOf(target);
  const active = verb === "start" ? [] : members.filter((process) => canDo("stop", process));
  const names = active.map(({ name }) => name);
  return { members, active, along: names.length === 0 ? [] : stoppedAlong(names, dependents.value) };
}

function membersOf(target: Target) {
  if (target.kind === "all") return allProcesses();
  if (target.kind === "list") return target.names.flatMap((name) => processOf(name) ?? []);
  if (target.kind === "process") return [processOf(target.name) ?? []].flat();
  const group = findGroup(tree.value, target.name);
  return group ? processesOf(group) : [];
}

function titleOf(target: Target): string {
  if (target.kind === "all") return "all processes";
  return target.kind === "list" ? target.title : target.name;
}

function framesOf(verb: Verb, target: Target) {
  // A group may have members that are hidden from this user, who may command the others.
  const hasHidden = refusalOf({ need: "viewer", on: null }) !== null;
  if (target.kind === "list" || hasHidden) {
    const names = target.kind === "list" ? target.names : membersOf(target).map(({ name }) => name);
    return names.map((name) => ({ type: `${verb}_process`, name }) as const);
  }
  const nodes = target.kind === "all" ? tree.value.map(({ type, name }) => ({ kind: type, name })) : [target];
  return nodes.map(({ kind, name }) => ({ type: `${verb}_${kind}`, name }) as const);
}

/** Offers to undo a stop. `along`: dependents that it may have stopped; the manager reports later whether it did. */
function offerUndo(active: readonly string[], along: readonly string[]): void {
  const alongNow = () => along.filter((name) => processOf(name)?.requested_state === "stop");
  const names = () => [...active, ...alongNow()];
  const undo = { names, run: () => startAgain(names()), end: () => dismiss(id) };
  stopped.value = undo;
  const id = toast(() => stoppedText(active, alongNow()), {
    action: { label: active.length + along.length === 1 ? "Start again" : "Start these again", run: undo.run },
    onEnd: () => {
      if (stopped.peek() === undo) stopped.value = null;
    },
  });
}

/** Offers to start the dependents that an earlier stop of `started` stopped, too: they stay stopped, unless they have `on_stop: restart`. */
function offerReturn(started: readonly string[]): void {
  const names = stillStoppedWith(started, client.mirror.processes()).map(({ name }) => name);
  if (names.length === 0) return;
  const undo = stopped.peek();
  // This offer replaces the offer to undo that stop, unless that one starts more processes.
  if (undo?.names().every((name) => started.includes(name) || names.includes(name))) undo.end();
  toast(`Still stopped, since they were stopped with ${started.length === 1 ? started[0] : "these"}: ${names.join(", ")}`, {
    action: { label: names.length === 1 ? "Start it, too" : "Start these, too", run: () => startAgain(names) },
  });
}

/** Offers to stop several processes that were started together. */
function offerStop(names: readonly string[]): void {
  if (names.length < 2) return;
  const title = `${names.length} processes`;
  toast(`Starting ${title}`, { action: { label: "Stop these again", run: () => void request("stop", { kind: "list", title, names }) } });
}

function stoppedText(active: readonly string[], along: readonly string[]): string {
  const [what, them] = active.length === 1 ? [active[0], "it"] : [`${active.length} processes`, "them"];
  return along.length === 0 ? `Stopped ${what}` : `Stopped ${what}, and with ${them} ${along.join(", ")}`;
}

/** Starts the stopped processes among `names`; those that were started again already are left alone. */
function startAgain(names: readonly string[]): void {
  stopped.value = null;
  for (const name of names) {
    const frame = { type: "start_process", name } as const;
    // A stop also stops dependents, whatever the user's role on those.
    if (processOf(name)?.requested_state === "stop" && refusalOf(frame) === null) void command(frame);
  }
}
