import { randomUUID } from "node:crypto";
import { allows, type Grant } from "../../../base/access/access.ts";
import type { Principal } from "../../../base/access/principal.ts";
import { MgrError, shuttingDown } from "../../../base/errors.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import { onAbort } from "../../../base/timing/on-abort.ts";
import type { LogBook } from "../../../log/log-book.ts";
import { formatTime } from "../../../protocol/time.ts";
import { CONFIRMATION_TIME_MS, MAX_CONFIRMATIONS, MAX_CONFIRMATIONS_OF_USER } from "../limits.ts";
import { isToken } from "../token-user.ts";
import type { Confirmation } from "../wire.ts";

/** What an agent wants to do. */
export type Wanted = Pick<Confirmation, "name" | "action" | "tool">;

export interface Answer {
  readonly id: string;
  readonly name: string;
  readonly agent: string;
  readonly allow: boolean;
}

/** Questions of agents that wait for a person. */
export interface Confirmations {
  /** Resolves with the user who allowed it. Rejects with the reason if it is not allowed, and when `signal` is aborted. */
  request(wanted: Wanted, agent: Principal, signal: AbortSignal): Promise<string>;
  /** Calls back with the open questions that the user may answer (none for an access token), now and with each change, until the returned function is called. */
  follow(person: Principal, receive: (open: readonly Confirmation[]) => void): () => void;
  /** Throws `conflict` if the question is not open any more, and `forbidden` for an access token. */
  answer(answer: Answer, person: Principal): void;
}

interface Open {
  readonly question: Confirmation;
  readonly settle: (result: { readonly by: string } | MgrError) => void;
}

interface Follower {
  readonly grants: readonly Grant[];
  readonly receive: (open: readonly Confirmation[]) => void;
}

interface ConfirmationsOptions {
  readonly clock: Clock;
  readonly log: Pick<LogBook, "info">;
  /** Host and pid of a process; undefined: there is none of this name. */
  readonly process: (name: string) => Pick<Confirmation, "host" | "pid"> | undefined;
}

const mayAnswer = (grants: readonly Grant[], { name }: Pick<Confirmation, "name">) => allows(grants, "operator", name);

export class ManagerConfirmations implements Confirmations {
  readonly #options: ConfirmationsOptions;
  /** By id, in the order in which they were asked. */
  readonly #open = new Map<string, Open>();
  readonly #followers = new Set<Follower>();
  #isClosed = false;

  constructor(options: ConfirmationsOptions) {
    this.#options = options;
  }

  request(wanted: Wanted, { user }: Principal, signal: AbortSignal): Promise<string> {
    const { name, action, tool } = wanted;
    const process = this.#options.process(name);
    if (this.#isClosed) throw shuttingDown();
    if (signal.aborted) throw cancelled();
    if (process === undefined) throw unknownProcess(name);
    if (![...this.#followers].some(({ grants }) => mayAnswer(grants, wanted))) throw absent(wanted);
    // A client that no longer waits may not have said so: of two equal questions, both could be allowed.
    this.#end(
      ({ question: { agent, ...open } }) => agent === user && open.name === name && open.action === action,
      () => new MgrError("conflict", "The same question was asked again, so this call was refused. Nothing was changed."),
    );
    this.#checkRoom(user);
    const now = this.#options.clock.now();
    const question = {
      ...{ id: randomUUID(), agent: user, tool, action, name, host: process.host, pid: process.pid },
      ...{ asked: formatTime(now), until: formatTime(now + CONFIRMATION_TIME_MS) },
    };
    return this.#wait(question, signal);
  }

  follow({ user, grants }: Principal, receive: Follower["receive"]): () => void {
    const follower = { grants: isToken(user) ? [] : grants, receive };
    this.#followers.add(follower);
    this.#send(follower);
    return () => void this.#followers.delete(follower);
  }

  answer({ id, name, agent, allow }: Answer, { user }: Principal): void {
    if (isToken(user)) throw notForTokens();
    if (this.#options.process(name) === undefined) throw unknownProcess(name);
    const open = this.#open.get(id);
    // The answer is for what was shown.
    if (open === undefined || open.question.name !== name || open.question.agent !== agent)
      throw new MgrError(
        "conflict",
        "This question is not open any more: it was answered or withdrawn, or its time was over. This answer has no effect.",
      );
    const { action } = open.question;
    this.#options.log.info(`${user} ${allow ? "allowed" : "refused"} that ${agent} may ${action} '${name}'`, [name]);
    open.settle(allow ? { by: user } : new MgrError("forbidden", `${user} refused it. Nothing was changed.`));
  }

  /** A process has changed: an answer counts for the run that was asked about. */
  stepped(name: string): void {
    if (this.#open.size === 0) return;
    const pid = this.#options.process(name)?.pid;
    this.#end(
      ({ question }) => question.name === name && question.pid !== pid,
      () => new MgrError("conflict", `'${name}' was started or ended before there was an answer. Nothing was changed by this call.`),
    );
  }

  close(): void {
    this.#isClosed = true;
    this.#end(() => true, shuttingDown);
  }

  #wait(question: Confirmation, signal: AbortSignal): Promise<string> {
    const { clock } = this.#options;
    return new Promise((resolve, reject) => {
      const settle: Open["settle"] = (result) => {
        if (!this.#open.delete(question.id)) return;
        clock.clearTimeout(timer);
        unsubscribe();
        if (result instanceof MgrError) reject(result);
        else resolve(result.by);
        this.#changed();
      };
      const timer = clock.setTimeout(() => settle(unanswered(question)), CONFIRMATION_TIME_MS);
      this.#open.set(question.id, { question, settle });
      const unsubscribe = onAbort(signal, () => settle(cancelled()));
      this.#changed();
    });
  }

  #checkRoom(user: string): void {
    const own = [...this.#open.values()].filter(({ question }) => question.agent === user).length;
    if (own >= MAX_CONFIRMATIONS_OF_USER || this.#open.size >= MAX_CONFIRMATIONS)
      throw new MgrError(
        "busy",
        `Too many questions wait for a person already (at most ${MAX_CONFIRMATIONS_OF_USER} of a user, ${MAX_CONFIRMATIONS} in all). Nothing was changed. Wait for their answers.`,
      );
  }

  #end(isMeant: (open: Open) => boolean, reason: () => MgrError): void {
    for (const open of [...this.#open.values()]) if (isMeant(open)) open.settle(reason());
  }

  #changed(): void {
    for (const follower of this.#followers) this.#send(follower);
  }

  #send({ grants, receive }: Follower): void {
    receive([...this.#open.values()].flatMap(({ question }) => (mayAnswer(grants, question) ? question : [])));
  }
}

const howTo = ({ name, action }: Pick<Wanted, "name" | "action">) =>
  `A user with the role operator can open the page of the manager, or run 'mgr agent questions --follow', before the tool is called again; or do it with 'mgr ${action} ${name}'.`;

function absent(wanted: Wanted): MgrError {
  return new MgrError(
    "conflict",
    `This ends something, so a person has to confirm it, and no user who may do that is connected. Nothing was changed. ${howTo(wanted)}`,
  );
}

function unanswered(wanted: Wanted): MgrError {
  return new MgrError(
    "timeout",
    `No person has confirmed it within ${CONFIRMATION_TIME_MS / 1_000} s. Nothing was changed. ${howTo(wanted)}`,
  );
}

function cancelled(): MgrError {
  return new MgrError("conflict", "The call was cancelled. Nothing was changed.");
}

function notForTokens(): MgrError {
  return new MgrError("forbidden", "A person has to answer questions of agents: log in as a user, not with an access token.");
}

function unknownProcess(name: string): MgrError {
  return new MgrError("not_found", `There is no process '${name}'.`);
}
