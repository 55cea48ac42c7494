import { type AnyErrorCode, MgrError, messageOf } from "../../base/errors.ts";
import { pause, systemClock } from "../../base/timing/clock.ts";
import { untilAborted } from "../../base/timing/wait.ts";
import { isUntrusted } from "../../client/link/certificate-problem.ts";
import type { ManagerClient } from "../../client/manager-client.ts";
import { connect } from "../../client/node.ts";
import { CommandFailure, EXIT } from "../command/exit-codes.ts";
import { untilInterrupted } from "../command/interrupt.ts";
import { type ConnectionFlags, type ConnectionTarget, connectOptions, findTarget, placeOf } from "./connection-target.ts";

/** Pause between attempts to reconnect to a manager, milliseconds. */
const AGAIN_MS = 500;
/** Errors that a retry does not solve. */
const REFUSED: ReadonlySet<AnyErrorCode> = new Set<AnyErrorCode>(["forbidden", "not_found", "bad_field"]);

/** Connects according to the flags, the environment and the configuration (`findTarget`). */
export async function connectManager(flags: ConnectionFlags): Promise<ManagerClient> {
  const target = await findTarget(flags);
  return reached(target, () => connect(target.url, { ...connectOptions(target), retry: false }));
}

/** Returns the result of `open`; a failure names the place of the manager, and what to do. */
export async function reached<T>(target: ConnectionTarget, open: () => Promise<T>): Promise<T> {
  const place = placeOf(target);
  try {
    return await open();
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    if (!(error instanceof MgrError)) throw new CommandFailure(EXIT.usage, `${place}: ${messageOf(error)}`);
    if (error.code === "bad_field") throw new CommandFailure(EXIT.usage, error.message);
    if (error.code !== "host_unavailable") throw new CommandFailure(EXIT.failed, `${place}: ${error.message}${trustHint(error)}`);
    const hint = "absent" in target ? `\n${target.absent}` : "";
    throw new CommandFailure(EXIT.failed, `${place}: ${error.message}${hint}`);
  }
}

/** Hint about a certificate that is not trusted; "" for any other error. */
export function trustHint(error: Error): string {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if (isUntrusted(cause)) return "\nTo trust it, give its PEM file with --ca-file FILE (or MGR_CA_FILE).";
  return "";
}

/**
 * Reconnects after a connection was lost, with the configuration read again: retries until the manager answers. Rejects when it refuses the
 * login, and when `signal` is aborted.
 */
export async function reconnectManager(flags: ConnectionFlags, signal: AbortSignal): Promise<ManagerClient> {
  for (;;) {
    const client = await retried(flags, signal, (target) => connect(target.url, { ...connectOptions(target), retry: false }));
    if (!signal.aborted) return client;
    client.close();
  }
}

/** Calls `open` until the manager answers, and returns the first result. Rejects as `reconnectManager` does. */
export async function retried<T>(flags: ConnectionFlags, signal: AbortSignal, open: (target: ConnectionTarget) => Promise<T>): Promise<T> {
  for (;;) {
    await pause(systemClock, AGAIN_MS, signal);
    try {
      return await open(await findTarget(flags));
    } catch (error) {
      // An unreadable configuration or auth file may be in the middle of being written.
      if (error instanceof MgrError && REFUSED.has(error.code)) throw error;
    }
  }
}

/** Runs `work` with a connection to the manager (`connectManager`), which is closed in any case. */
export async function withManager<T>(flags: ConnectionFlags, work: (client: ManagerClient) => Promise<T>): Promise<T> {
  const client = await connectManager(flags);
  try {
    return await work(client);
  } finally {
    client.close();
  }
}

/** As `withManager`, until Ctrl-C, which closes the connection, so that nothing is waited for any more. */
export function withManagerUntilInterrupted(
  flags: ConnectionFlags,
  work: (client: ManagerClient, interrupted: AbortSignal) => Promise<void>,
): Promise<void> {
  return withManager(flags, (client) =>
    untilInterrupted((interrupted) => {
      interrupted.addEventListener("abort", () => client.close());
      return work(client, interrupted);
    }),
  );
}

/** Settles as `work` does; rejects when the connection ends first. */
export async function whileConnected<T>(client: ManagerClient, work: (ended: AbortSignal) => Promise<T>): Promise<T> {
  const end = new AbortController();
  const subscription = client.link.state$.subscribe((state) => {
    if (state.kind === "closed") end.abort(new CommandFailure(EXIT.failed, `the connection to the manager was closed: ${state.reason}`));
  });
  try {
    return await Promise.race([untilAborted(end.signal), work(end.signal)]);
  } finally {
    subscription.unsubscribe();
  }
}

/** Resolves at Ctrl-C; rejects when the connection ends first. */
export function stayConnected(client: ManagerClient): Promise<void> {
  return untilInterrupted((interrupted) => whileConnected(client, () => untilAborted(interrupted)));
}
