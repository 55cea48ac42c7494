import { generalRole, type Role, roleOn } from "../../../base/access/access.ts";
import type { CommandObserver, CommandOutcome, CommandRefusal, EndOfCommand, ObservedCommand } from "../../../base/command-observer.ts";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { shortened } from "../../../base/text/text-length.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import { withTimeout } from "../../../base/timing/wait.ts";
import type { AuditSettings } from "../config.ts";
import type { NewRecord, RequestRecord } from "../trail/records.ts";
import { recordedArguments } from "./arguments.ts";
import { Repetitions } from "./repetitions.ts";
import type { TrailWriter } from "./trail-writer.ts";
import { type EntryEnd, TypedInput } from "./typed-input.ts";

/** Time for which a command waits for the disk, milliseconds. */
const SAVE_TIMEOUT_MS = 2_000;
/** Longest message of a refusal, characters: it may quote the command. */
const MAX_MESSAGE_CHARS = 400;

interface CommandAuditOptions {
  readonly clock: Clock;
  readonly settings: () => AuditSettings;
  /** Null: the trail cannot be opened, for this reason. */
  readonly trail: Pick<TrailWriter, "append" | "saved" | "problem"> | { readonly unusable: string };
  /** Called for each command that is carried out although it is not recorded. */
  readonly onUnrecorded: () => void;
}

type Whole<R> = R extends unknown ? Omit<R, "seq" | "time" | "event"> : never;
const ended: EndOfCommand = () => {};

/** Records each command before it takes effect, and its outcome. */
export class CommandAudit implements CommandObserver {
  readonly #options: CommandAuditOptions;
  readonly #typed: TypedInput;
  readonly #repetitions: Repetitions;
  /** Recorded commands without an outcome. */
  readonly #running = new Set<number>();

  constructor(options: CommandAuditOptions) {
    this.#options = options;
    this.#typed = new TypedInput({
      clock: options.clock,
      begin: (command) => this.#beginTyped(command),
      isTextRecorded: () => options.settings().terminal_input,
    });
    this.#repetitions = new Repetitions({
      clock: options.clock,
      omitted: (user, command, count) => void this.#append({ event: "omitted", user, command, count }),
    });
  }

  before(command: ObservedCommand): EndOfCommand | Promise<EndOfCommand> {
    if (!this.#options.settings().enabled) return ended;
    if (TypedInput.has(command)) return this.#typed.before(command);
    if (command.name === "log_in") return this.#logIn(command);
    return this.#begin(command, recordedArguments(command.target === null ? command.args : withoutName(command.args), command.secrets));
  }

  refused(command: ObservedCommand, { code, message }: CommandRefusal): void {
    if (!this.#options.settings().enabled || !this.#repetitions.mayRecordRefusal(command)) return;
    const args = recordedArguments(command.target === null ? command.args : withoutName(command.args), command.secrets);
    this.#append({ event: "denied", ...requestOf(command, args), code, message: shortened(message, MAX_MESSAGE_CHARS) });
  }

  /** The recorded commands that have no outcome now. */
  get running(): ReadonlySet<number> {
    return this.#running;
  }

  /** Records what is not recorded yet: the end of the manager. */
  flush(): void {
    this.#typed.flush();
    this.#repetitions.flush();
  }

  #logIn(command: ObservedCommand): EndOfCommand | Promise<EndOfCommand> {
    if (!this.#repetitions.isNewLogin(command)) return ended;
    return this.#begin(command, undefined).catch((error: unknown) => {
      this.#repetitions.forgetLogin(command);
      throw error;
    });
  }

  async #begin(command: ObservedCommand, args: RequestRecord["args"]): Promise<EndOfCommand> {
    const id = await this.#recorded({ event: "requested", ...requestOf(command, args) });
    return id === null ? ended : (outcome) => this.#end(id, outcome);
  }

  async #beginTyped(command: ObservedCommand): Promise<EntryEnd | null> {
    const id = await this.#recorded({ event: "requested", ...requestOf(command, undefined) });
    if (id === null) return null;
    return (total, refusal) => this.#end(id, refusal ?? { ok: true }, { ...total });
  }

  /** Resolves with the number of the record when it is on the disk; null: it is not recorded, and the command need not be. */
  async #recorded(record: NewRecord): Promise<number | null> {
    const { trail, clock, settings, onUnrecorded } = this.#options;
    const { required } = settings();
    if ("unusable" in trail) {
      if (required) throw cannotRecord(trail.unusable);
      onUnrecorded();
      return null;
    }
    const id = trail.append(record);
    if (id === null) {
      if (required) throw cannotRecord(trail.problem ?? "too many records wait for the disk");
      return null;
    }
    this.#running.add(id);
    const saved = trail.saved();
    // While the disk does not work, commands do not wait for it. Their records are written when it works again.
    if (!required && trail.problem !== null) {
      saved.catch(() => undefined);
      return id;
    }
    try {
      await withTimeout(
        saved,
        SAVE_TIMEOUT_MS,
        () => new MgrError("timeout", `the disk has not answered for ${SAVE_TIMEOUT_MS / 1_000} s`),
        clock,
      );
    } catch (error) {
      if (!required) return id;
      const refusal = cannotRecord(messageOf(error));
      this.#end(id, { ok: false, code: "conflict", message: refusal.message });
      throw refusal;
    }
    return id;
  }

  #end(id: number, outcome: CommandOutcome, args?: RequestRecord["args"]): void {
    this.#running.delete(id);
    const more = args === undefined ? {} : { args };
    if (outcome.ok) this.#append({ event: "accepted", id, ...more });
    else this.#append({ event: "refused", id, code: outcome.code, message: shortened(outcome.message, MAX_MESSAGE_CHARS), ...more });
  }

  #append(record: NewRecord): void {
    const { trail, onUnrecorded } = this.#options;
    if ("unusable" in trail) onUnrecorded();
    else trail.append(record);
  }
}

function requestOf(command: ObservedCommand, args: RequestRecord["args"]): Whole<RequestRecord> {
  const { name, sender, client, requestId, target } = command;
  return {
    user: sender.user,
    role: roleOf(command),
    via: sender.via,
    ...(client === null ? {} : { client }),
    ...(sender.address === "" ? {} : { address: sender.address }),
    command: name,
    ...(target === null ? {} : { target }),
    ...(requestId === null ? {} : { request_id: requestId }),
    ...(args === undefined ? {} : { args }),
  };
}

/** The role by which the sender gives the command. */
function roleOf({ sender: { grants }, target }: ObservedCommand): Role | null {
  return target === null ? generalRole(grants) : (roleOn(grants, target) ?? generalRole(grants));
}

/** The target has a field of its own in a record. */
function withoutName({ name: _target, ...args }: ObservedCommand["args"]): ObservedCommand["args"] {
  return args;
}

function cannotRecord(reason: string): MgrError {
  return new MgrError(
    "conflict",
    `Nothing was done, because the audit cannot be written (${reason}) and 'audit.required' is set. Make that possible again, or change 'audit.required' and reload the configuration with SIGHUP`,
  );
}
