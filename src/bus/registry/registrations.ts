import type { z } from "zod";
import { messageOf, wireCode } from "../../base/errors.ts";
import { parseJson } from "../../base/json.ts";
import type { WarningLog } from "../../base/throttled-warning.ts";
import { type ClientRegistration, clientRegistration } from "../../contract/registry.ts";
import type { BorrowedMessage } from "../broker/borrowed-message.ts";
import type { HookedClient } from "../broker/broker-hooks.ts";
import type { Envelope } from "../broker/parser/broker-operations.ts";
import { type CheckDefinition, DefinitionChecks } from "./definition-checks.ts";
import type { Member } from "./member.ts";
import { RegistrationLimits } from "./registration-limits.ts";
import type { TopicProblem, TopicTable } from "./topic-table.ts";

/** Number of bytes of a registration that take as long as a delivery. */
const REGISTERED_BYTES_PER_UNIT = 128;

interface RegistrationsOptions {
  /** Canonical name of the broker's host. */
  readonly host: string;
  readonly server: "leaf" | "hub";
  readonly log: WarningLog;
  readonly checkDefinition?: () => Promise<CheckDefinition>;
  readonly members: ReadonlyMap<HookedClient, Member>;
  readonly topics: TopicTable;
  /** Called when a client has registered. */
  readonly registered: (client: HookedClient) => void;
  /** Counts work of the current operation, in units of a delivery. */
  readonly spend: (units: number) => void;
}

/** Registrations of clients: their limits, the reservations of their topics, and the check of the definitions. */
export class Registrations {
  readonly limits = new RegistrationLimits();
  readonly #options: RegistrationsOptions;
  readonly #checks: DefinitionChecks | null;

  constructor(options: RegistrationsOptions) {
    this.#options = options;
    this.#checks = options.checkDefinition === undefined ? null : new DefinitionChecks(options.checkDefinition);
  }

  /** Registers a client, and answers when its definitions are checked. */
  receive(client: HookedClient, { reply, headerBytes, size }: Envelope, message: BorrowedMessage): void {
    this.#options.spend(Math.ceil(size / REGISTERED_BYTES_PER_UNIT));
    const text = message.whole().toString("utf8", headerBytes, size);
    const answer = this.#admitted(client, text);
    const respond = () => reply !== null && client.answerRequest(reply, JSON.stringify(answer.body));
    const { registration, body } = answer;
    if (registration === null || !body.ok) {
      respond();
      return;
    }
    this.#checkDefinitions(client, registration, body.problems).then(respond, (error: unknown) => {
      this.#options.log("error", `definitions of topics were not checked: ${messageOf(error)}`);
      respond();
    });
  }

  /** Registers a client within the limits of registrations; null: it sent no valid registration, or was refused. */
  #admitted(client: HookedClient, text: string): { registration: ClientRegistration | null; body: RegistrationAnswer } {
    try {
      if (this.#options.members.has(client)) this.limits.claim(client, text.length);
    } catch (error) {
      return { registration: null, body: { ok: false, code: wireCode(error), message: messageOf(error) } };
    }
    const parsed = clientRegistration.safeParse(parseJson(text));
    if (!parsed.success) return { registration: null, body: { ok: false, code: "bad_field", message: fieldProblem(parsed.error) } };
    return { registration: parsed.data, body: this.#registered(client, parsed.data) };
  }

  /** Adds problems of the definitions to `problems`. Ends early when the client registers again or disconnects. */
  async #checkDefinitions(client: HookedClient, registration: ClientRegistration, problems: TopicProblem[]): Promise<void> {
    if (this.#checks === null) return;
    for (const topic of registration.topics.filter(DefinitionChecks.isNeeded)) {
      if (this.#options.members.get(client)?.registration !== registration) return;
      const checked = await this.#checks.check(topic);
      const { problem } = checked;
      this.#options.topics.checked(client, topic, checked);
      if (problem !== null) problems.push({ topic: topic.name, code: "bad_field", message: problem });
    }
  }

  #registered(client: HookedClient, registration: ClientRegistration): RegistrationAnswer {
    const member = this.#options.members.get(client);
    if (member === undefined) return { ok: false, code: "conflict", message: "send CONNECT first, then register" };
    try {
      const problems = this.#options.topics.reserve(client, registration.topics);
      member.registration = registration;
      this.#options.registered(client);
      const { host, server } = this.#options;
      return { ok: true, name: registration.name, host, server, problems };
    } catch (error) {
      return { ok: false, code: wireCode(error), message: messageOf(error) };
    }
  }
}

type RegistrationAnswer =
  | { ok: false; code: string; message: string }
  | { ok: true; name: string; host: string; server: "leaf" | "hub"; problems: TopicProblem[] };

/** Text of the first problem, such as `topics[0].encoding: must be …`. */
function fieldProblem({ issues: [issue] }: z.ZodError): string {
  const path = issue?.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("") ?? "";
  return `${path.replace(/^\./, "") || "the registration"}: ${issue?.message ?? "is malformed"}`;
}
