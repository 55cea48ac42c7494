import type { HostSession } from "../../../app/hosts/host-session.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Config } from "../../../config/definition.ts";
import { type AlertRule, MAX_RULES_AT_ONCE } from "../contract.ts";

/** The rules of the processes that are configured for a host. `isLocal`: it is the manager's own. */
export function rulesOf({ processes }: Pick<Config, "processes">, host: string, isLocal: boolean): AlertRule[] {
  return [...processes.values()].flatMap(({ name, alert, host: configured }) =>
    alert !== null && (configured === host || (configured === null && isLocal))
      ? [{ name, silent_ms: alert.silent_for, pattern: alert.output_matches }]
      : [],
  );
}

/** Sends rules to one host: one table after the other, and of several that wait only the newest. */
export class HostRules {
  readonly #session: HostSession;
  readonly #warn: (msg: string) => void;
  #sent: Promise<void> = Promise.resolve();
  #newest: readonly AlertRule[] | null = null;

  constructor(session: HostSession, warn: (msg: string) => void) {
    this.#session = session;
    this.#warn = warn;
  }

  send(rules: readonly AlertRule[]): void {
    const isWaiting = this.#newest !== null;
    this.#newest = rules;
    if (!isWaiting) this.#sent = this.#sent.then(() => this.#sendNewest());
  }

  async #sendNewest(): Promise<void> {
    const rules = this.#newest ?? [];
    this.#newest = null;
    // A host that is away gets the rules when it is back.
    if (!this.#session.isOpen) return;
    try {
      for (let from = 0; from === 0 || from < rules.length; from += MAX_RULES_AT_ONCE) {
        const part = rules.slice(from, from + MAX_RULES_AT_ONCE);
        const place = { is_first: from === 0, is_last: from + MAX_RULES_AT_ONCE >= rules.length };
        await this.#session.command((id) => this.#session.link.request("set_alert_rules", { session: id, rules: part, ...place }));
      }
    } catch (error) {
      if (this.#session.isOpen) this.#warn(`the alerts of host '${this.#session.link.host}' could not be set: ${messageOf(error)}`);
    }
  }
}
