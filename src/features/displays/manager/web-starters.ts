import type { Starter } from "../../../actors/control.ts";
import type { IntentKeeper } from "../../../app/state/intent-keeper.ts";
import type { ProcessDefinition } from "../../../config/definition.ts";
import { isWebUser } from "./display-user.ts";

interface LastStart {
  readonly user: string;
  /** `<ip>:<port>`; null: over the local socket, or requested from an earlier manager. */
  readonly peer: string | null;
}

/** The client that started each process last: the windows of the process show on a display of its user. */
export class WebStarters {
  readonly #intents: IntentKeeper;
  readonly #definitionOf: (name: string) => ProcessDefinition | undefined;
  readonly #last = new Map<string, LastStart>();
  /** Clients that are still to be notified, by process. */
  readonly #untold = new Map<string, Starter>();

  constructor(intents: IntentKeeper, definitionOf: (name: string) => ProcessDefinition | undefined) {
    this.#intents = intents;
    this.#definitionOf = definitionOf;
  }

  note(process: string, starter: Starter): void {
    const to = this.#definitionOf(process)?.forward_x11?.to;
    // A user of the local socket can have a desktop, but has no private display: the last web user is kept.
    if (to !== "gui" && (to !== "display" || !isWebUser(starter.user))) return;
    this.#last.set(process, starter);
    this.#untold.set(process, starter);
    if (this.#intents.get(process).web_starter !== starter.user) this.#intents.set(process, { web_starter: starter.user });
  }

  of(process: string): LastStart | null {
    const { web_starter } = this.#intents.get(process);
    return this.#last.get(process) ?? (web_starter === undefined ? null : { user: web_starter, peer: null });
  }

  /** Called when a run on the private display of `username` has begun. A client is notified once for each start that it requested. */
  displayUsed(process: string, display: string, username: string): void {
    const starter = this.#untold.get(process);
    this.#untold.delete(process);
    if (starter?.user !== username) return;
    starter.notify({ type: "web_x_display_used", kind: "private", reason: "forward_x11_fallback", process, display, username });
  }

  forget(process: string): void {
    this.#last.delete(process);
    this.#untold.delete(process);
  }
}
