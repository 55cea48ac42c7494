import type { CommandOutcome } from "../base/command-observer.ts";
import { messageOf, wireCode } from "../base/errors.ts";
import type { ManagerCore, OwnCommand } from "./feature.ts";

/**
 * Carries out a command of a feature as one of a client: the observers see it before `carryOut` is called, and then its outcome. Never rejects: an
 * error of `carryOut`, or of an observer that refuses the command, is the outcome.
 */
export async function observedCommand(
  observe: ManagerCore["observe"],
  command: OwnCommand,
  carryOut: () => void | Promise<void>,
): Promise<CommandOutcome> {
  try {
    const end = await observe(command);
    const outcome = await outcomeOf(carryOut);
    end(outcome);
    return outcome;
  } catch (error) {
    return refusal(error);
  }
}

async function outcomeOf(carryOut: () => void | Promise<void>): Promise<CommandOutcome> {
  try {
    await carryOut();
    return { ok: true };
  } catch (error) {
    return refusal(error);
  }
}

const refusal = (error: unknown): CommandOutcome => ({ ok: false, code: wireCode(error), message: messageOf(error) });
