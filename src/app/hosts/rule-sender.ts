import { messageOf } from "../../base/errors.ts";
import type { HostSession } from "./host-session.ts";

/** A part of a table of rules: `is_first` begins a table, `is_last` puts it into effect. */
interface RulesPart<Rule> {
  readonly rules: Rule[];
  readonly is_first: boolean;
  readonly is_last: boolean;
}

export interface RuleSenderOptions<Rule> {
  readonly session: HostSession;
  /** Maximum number of rules in one message. */
  readonly atOnce: number;
  readonly send: (id: string, part: RulesPart<Rule>) => Promise<unknown>;
  /** Called with the reason why a table could not be sent. */
  readonly failed: (reason: string) => void;
}

/** Sends the rules of a feature to one host: one table after the other, and of several that wait only the newest. */
export class RuleSender<Rule> {
  readonly #options: RuleSenderOptions<Rule>;
  #sent: Promise<void> = Promise.resolve();
  #newest: readonly Rule[] | null = null;

  constructor(options: RuleSenderOptions<Rule>) {
    this.#options = options;
  }

  send(rules: readonly Rule[]): void {
    const isWaiting = this.#newest !== null;
    this.#newest = rules;
    if (!isWaiting) this.#sent = this.#sent.then(() => this.#sendNewest());
  }

  async #sendNewest(): Promise<void> {
    const { session, atOnce, send, failed } = this.#options;
    const rules = this.#newest ?? [];
    this.#newest = null;
    // A host that is away gets the rules when it is back.
    if (!session.isOpen) return;
    try {
      for (let from = 0; from === 0 || from < rules.length; from += atOnce) {
        const part = { rules: rules.slice(from, from + atOnce), is_first: from === 0, is_last: from + atOnce >= rules.length };
        await session.command((id) => send(id, part));
      }
    } catch (error) {
      if (session.isOpen) failed(messageOf(error));
    }
  }
}
