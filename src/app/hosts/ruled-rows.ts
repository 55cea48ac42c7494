import type { HostSession } from "./host-session.ts";
import { NamedRows, type NamedRowsOptions } from "./named-rows.ts";
import { RuleSender, type RuleSenderOptions } from "./rule-sender.ts";

interface RuledRowsOptions<Rule, Change extends { readonly seq: number; readonly name: string }, Row extends { readonly name: string }> {
  readonly session: HostSession;
  readonly rules: Omit<RuleSenderOptions<Rule>, "session">;
  readonly rows: Omit<NamedRowsOptions<Change, Row>, "session">;
  /** Gives the rows what the host reports, until the returned function is called. */
  readonly listen: (rows: Pick<NamedRows<Change, Row>, "receive" | "compare">) => () => void;
}

/** The rules that a feature sends to one host, and the rows that the host reports about the processes that they apply to. */
export class RuledRows<Rule, Change extends { readonly seq: number; readonly name: string }, Row extends { readonly name: string }> {
  readonly session: HostSession;
  readonly rules: RuleSender<Rule>;
  readonly #rows: NamedRows<Change, Row>;
  readonly #unsubscribe: () => void;

  constructor({ session, rules, rows, listen }: RuledRowsOptions<Rule, Change, Row>) {
    this.session = session;
    this.rules = new RuleSender({ session, ...rules });
    this.#rows = new NamedRows({ session, ...rows });
    this.#unsubscribe = listen(this.#rows);
  }

  /** Called when the host is ready. */
  begin(): void {
    this.#rows.begin();
  }

  close(): void {
    this.#unsubscribe();
    this.#rows.close();
  }

  /** Names of the processes with a row on this host. */
  get names(): ReadonlySet<string> {
    return this.#rows.names;
  }
}
