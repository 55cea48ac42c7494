import { until } from "../../../base/timing/wait.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { whileConnected } from "../../../cli/manager/connection.ts";
import type { ManagerClient } from "../../../client/manager-client.ts";
import { MAX_STEP_S, type RestartStep } from "../wire.ts";
import { isSettled, problemOf, resultOf, stepLine } from "./step-text.ts";

/** `mgr restart --rolling NAME…`: requests it, then prints each step. Ctrl-C ends it after the present process; a second one ends this command only. */
export async function restartRolling(
  client: ManagerClient,
  names: readonly string[],
  flags: { readonly wait: boolean; readonly timeout: number },
): Promise<void> {
  const steps = new StepPrinter(client, flags.wait);
  const timeout = Math.min(MAX_STEP_S, Math.ceil(flags.timeout));
  const { id } = await client.request({ type: "rolling_restart", names: [...names], timeout });
  if (flags.wait) await steps.follow(id, names);
}

/** Prints the steps of a rolling restart as they change. */
class StepPrinter {
  readonly #client: ManagerClient;
  /** The newest frames about each process: also those that come before the answer, which says the id. */
  readonly #steps = new Map<string, RestartStep | null>();
  #changed: () => void = () => {};
  #print: (step: RestartStep) => void = () => {};

  constructor(client: ManagerClient, isNeeded: boolean) {
    this.#client = client;
    if (!isNeeded) return;
    client.frames$.subscribe((frame) => {
      if (frame.type === "restart_step_upsert") {
        this.#steps.set(frame.step.name, frame.step);
        this.#print(frame.step);
      } else if (frame.type === "restart_step_remove") this.#steps.set(frame.name, null);
      else return;
      this.#changed();
    });
  }

  async follow(id: string, names: readonly string[]): Promise<void> {
    const client = this.#client;
    const ofThis = (name: string) => {
      const step = this.#steps.get(name);
      // A process that was removed has no step any more.
      return step === null || step?.id === id ? step : undefined;
    };
    this.#print = (step) => {
      if (step.id === id) process.stdout.write(stepLine(step));
    };
    for (const name of names) {
      const step = ofThis(name);
      if (step) this.#print(step);
    }
    const cancel = () => {
      process.stderr.write("mgr: the rolling restart ends after the present process; press Ctrl-C again to leave it to the manager\n");
      // It may have ended meanwhile.
      client.request({ type: "cancel_rolling_restart", id }).catch(() => undefined);
    };
    process.once("SIGINT", cancel);
    try {
      await whileConnected(client, (ended) =>
        until(
          () => names.every((name) => isSettled(ofThis(name))),
          (check) => {
            this.#changed = check;
            return () => {
              this.#changed = () => {};
            };
          },
          ended,
        ),
      );
    } finally {
      process.off("SIGINT", cancel);
    }
    const problem = problemOf(resultOf(names.map((name) => ({ name, step: ofThis(name) ?? null }))));
    if (problem !== null) throw new CommandFailure(EXIT.failed, problem);
  }
}
