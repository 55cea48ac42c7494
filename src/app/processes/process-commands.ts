import type { Commands, Starter, Verb } from "../../actors/control.ts";
import type { ActorSystem } from "../../actors/system.ts";
import { MgrError, shuttingDown } from "../../base/errors.ts";
import { SlicedWork, type Steps } from "../../base/timing/turns.ts";
import type { LogBook } from "../../log/log-book.ts";
import { isRunningState } from "../../protocol/process/process-state.ts";
import type { ProcessState } from "../../protocol/resources/resources.ts";
import type { ManagerStatus } from "../manager-status.ts";
import type { IntentKeeper } from "../state/intent-keeper.ts";
import { explanations, MAX_MEMBERS_PER_TURN, planCommand } from "./command-plan.ts";
import type { ProcessActors } from "./process-actors.ts";
import type { ProcessEventRouter } from "./process-event-router.ts";
import type { ProcessSessions } from "./process-sessions.ts";
import type { ProcessTable } from "./process-table.ts";
import type { ProcessWaits } from "./process-waits.ts";
import type { RunExtensions } from "./run-extension.ts";

interface ProcessCommandsOptions {
  processTable: ProcessTable;
  sessions: ProcessSessions;
  system: ActorSystem;
  actors: ProcessActors;
  router: ProcessEventRouter;
  waits: ProcessWaits;
  intents: IntentKeeper;
  status: ManagerStatus;
  log: LogBook;
  runs: Pick<RunExtensions, "startRequested">;
}

interface Order {
  readonly verb: Verb;
  readonly by: string;
  /** Null: the command does not come from a web client. */
  readonly starter: Starter | null;
}

/** Commands to processes and groups, from users and from the manager itself. */
export class ProcessCommands implements Commands {
  readonly #options: ProcessCommandsOptions;
  readonly #commands = new SlicedWork({ units: MAX_MEMBERS_PER_TURN });

  constructor(options: ProcessCommandsOptions) {
    this.#options = options;
  }

  process(verb: Verb, name: string, by: string, starter: Starter | null = null): void | Promise<void> {
    return this.#commands.run(this.#processOrders({ verb, by, starter }, name));
  }

  group(verb: Verb, name: string, by: string, starter: Starter | null = null): void | Promise<void> {
    return this.#commands.run(this.#groupOrders({ verb, by, starter }, name));
  }

  // Not async: an immediate refusal must come in the turn of its frame, before the answers to later frames.
  sendSignal(name: string, signal: string, by: string): Promise<void> {
    const { session, runId } = this.#options.sessions.ofRun(name);
    const sent = session.command((id) => session.link.request("signal", { session: id, run_id: runId, signal }));
    return sent.then(() => this.#log("info", `'${by}' sent ${signal} to process '${name}'`, [name]));
  }

  saved(): Promise<void> {
    return this.#options.intents.flush();
  }

  /** Starts processes or groups by name, as `mgr up NAME…` does; unknown names are refused before anything starts. */
  startNamed(names: readonly string[], by: string): void | Promise<void> {
    const { processTable, sessions, status } = this.#options;
    status.requireOpen();
    const members = names.flatMap((name) => (processTable.config.groups.has(name) ? processTable.membersOf(name) : [sessions.known(name)]));
    return this.#commands.run(this.#sendToAll({ verb: "start", by, starter: null }, members));
  }

  /** Requests the stop of every process. Resolves when none is alive, or with the names of those that do not end. */
  async stopEverything(by: string): Promise<string[]> {
    const { processTable, waits } = this.#options;
    await this.#commands.run(this.#sendToAll({ verb: "stop", by, starter: null }, processTable.names()));
    return waits.allAtRest();
  }

  /** Refuses the commands that are not finished. */
  refuseWaiting(): void {
    this.#commands.refuse(shuttingDown());
  }

  close(): void {
    this.#commands.close();
  }

  *#processOrders(order: Order, name: string): Steps {
    const { verb } = order;
    const { sessions, status } = this.#options;
    status.requireOpen();
    sessions.of(verb === "stop" ? name : sessions.lasting(name));
    this.#logRequest(order, name);
    yield* this.#sendToAll(order, [name]);
  }

  *#groupOrders(order: Order, name: string): Steps {
    const { verb } = order;
    this.#options.status.requireOpen();
    const members = this.#reachableMembers(name);
    this.#logRequest(order, name);
    yield* this.#sendToAll(order, members);
    this.#options.system.send("group", name, { type: verb });
  }

  /** Sends the command to `names` and to the processes that it affects as well. */
  *#sendToAll({ verb, by, starter }: Order, names: readonly string[]): Steps {
    const { processTable, actors, router, intents, runs } = this.#options;
    const situation = { processTable, resumeWith: (name: string) => intents.get(name).resume_with ?? [] };
    const batches = planCommand(situation, verb, names);
    for (const msg of explanations(situation, names, batches)) this.#log("info", msg, names);
    for (const batch of batches) {
      for (const { name, verb: type, resumeWith, stoppedWith } of batch) {
        if (type === "stop") actors.sendCommand(name, { type, by, stoppedWith });
        else if (!processTable.retiring.has(name)) {
          // A start of a running process changes nothing, neither now nor at its next restart.
          if (starter !== null && !(type === "start" && isStartingOrRunning(processTable.stateOf(name))))
            runs.startRequested(name, starter);
          actors.sendCommand(name, { type, by });
        }
        router.keepResume(name, resumeWith);
      }
      yield batch.length;
    }
  }

  /** Returns the members that can be reached. Refuses an unknown group, and one without such members. */
  #reachableMembers(group: string): string[] {
    const { processTable, sessions } = this.#options;
    if (!processTable.config.groups.has(group)) throw new MgrError("not_found", `there is no group '${group}'`);
    const members = processTable.membersOf(group);
    const there = members.filter((member) => sessions.isReachable(member));
    const away = members.filter((member) => !sessions.isReachable(member));
    const [first] = away;
    if (first === undefined) return members;
    if (there.length === 0) sessions.of(first);
    // An unreachable host must not prevent stopping processes on the others.
    const names = away.map((member) => `'${member}'`).join(", ");
    this.#log("warning", `of group '${group}' these are left out, their hosts cannot be reached: ${names}`, [group]);
    return there;
  }

  #logRequest({ verb, by }: Order, name: string): void {
    const msg = `'${by}' requests ${verb} of '${name}'`;
    this.#options.log.append({ level: "info", source: "manager", msg, action: { kind: "command", by, name } });
  }

  #log(level: "info" | "warning", msg: string, about: readonly string[]): void {
    this.#options.log.append({ level, source: "manager", msg, about });
  }
}

/** Whether the process is starting or running, so that a start changes nothing. */
function isStartingOrRunning(state: ProcessState | undefined): boolean {
  return state === "starting" || isRunningState(state);
}
