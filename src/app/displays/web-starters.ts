import type { WebStarter } from "../../actors/control.ts";
import type { ProcessDefinition } from "../../config/definition.ts";
import type { IntentKeeper } from "../state/intent-keeper.ts";

interface LastStart {
  readonly user: string;
  /** `<ip>:<port>`; null: a manager before this one was asked. */
  readonly peer: string | null;
}

/** Which web client started a process last: its user's private display is for the windows of the process. */
export class WebStarters {
  readonly #intents: IntentKeeper;
  readonly #definitionOf: (name: string) => ProcessDefinition | undefined;
  readonly #last = new Map<string, LastStart>();
  /** Clients that are still to be told. */
  readonly #untold = new Map<string, WebStarter>();

  constructor(intents: IntentKeeper, definitionOf: (name: string) => ProcessDefinition | undefined) {
    this.#intents = intents;
    this.#definitionOf = definitionOf;
  }

  note(process: string, starter: WebStarter): void {
    if (this.#definitionOf(process)?.forward_x11?.to !== "display") return;
    this.#last.set(process, starter);
    this.#untold.set(process, starter);
    if (this.#intents.get(process).web_starter !== starter.user) this.#intents.set(process, { web_starter: starter.user });
  }

  of(process: string): LastStart | null {
    const { web_starter } = this.#intents.get(process);
    return this.#last.get(process) ?? (web_starter === undefined ? null : { user: web_starter, peer: null });
  }

  /** A run on the private display of `username` has begun. A client is told once for each start that it asked for. */
  displayUsed(process: string, display: string, username: string): void {
    const starter = this.#untold.get(process);
    this.#untold.delete(process);
    if (starter?.user === username) starter.displayUsed({ process, display, username });
  }

  forget(process: string): void {
    this.#last.delete(process);
    this.#untold.delete(process);
  }
}
