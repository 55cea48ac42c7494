import type { Principal } from "./access/principal.ts";
import type { ErrorCode } from "./errors.ts";

/** A request that changes something: a frame of a client, an HTTP request, a login, or a signal to the manager. */
export interface ObservedCommand {
  /** Type of the frame, method and path of the request (`POST /mgr/logout`), or the action (`log_in`). */
  readonly name: string;
  readonly sender: Principal;
  /** The program that the client says it is; null: it says nothing. */
  readonly client: string | null;
  /** The id that the client gave its request. */
  readonly requestId: string | number | null;
  /** Name of the process, group or other object that it is about. */
  readonly target: string | null;
  readonly args: Readonly<Record<string, unknown>>;
  /** Names of the arguments whose values must not be recorded. */
  readonly secrets: readonly string[];
}

export type CommandOutcome = { readonly ok: true } | CommandRefusal;

export interface CommandRefusal {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly message: string;
}

/** Called once with the outcome of a command. */
export type EndOfCommand = (outcome: CommandOutcome) => void;

/** Sees every command before it takes effect, whatever its way to the manager. */
export interface CommandObserver {
  /** The command waits for the promise. A rejection refuses the command; never throws. */
  before(command: ObservedCommand): EndOfCommand | Promise<EndOfCommand>;
  /** A command was refused before it could begin: its sender may not give it, or the manager is busy or shutting down. */
  refused(command: ObservedCommand, refusal: CommandRefusal): void;
}

/** One observer for all; null: there is none. */
export function joinObservers(observers: readonly CommandObserver[]): CommandObserver | null {
  const [first, ...others] = observers;
  if (first === undefined || others.length === 0) return first ?? null;
  return {
    before(command) {
      const begun = observers.map((each) => each.before(command));
      return begun.every((each) => typeof each === "function") ? endAll(begun) : allBegun(begun);
    },
    refused(command, refusal) {
      for (const each of observers) each.refused(command, refusal);
    },
  };
}

const endAll =
  (ends: readonly EndOfCommand[]): EndOfCommand =>
  (outcome) => {
    for (const end of ends) end(outcome);
  };

/** If one observer refuses the command, the others see its end. */
async function allBegun(begun: readonly (EndOfCommand | Promise<EndOfCommand>)[]): Promise<EndOfCommand> {
  const settled = await Promise.allSettled(begun);
  const end = endAll(settled.flatMap((each) => (each.status === "fulfilled" ? each.value : [])));
  const refused = settled.find((each) => each.status === "rejected");
  if (refused === undefined) return end;
  end({ ok: false, code: "conflict", message: "another part of the manager refused the command" });
  throw refused.reason;
}
