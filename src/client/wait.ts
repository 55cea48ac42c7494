import { Subscription } from "rxjs";
import { MgrError } from "../base/errors.ts";
import { checkOptions, MILLISECONDS, objectWith } from "../base/options.ts";
import { onAbort } from "../base/timing/on-abort.ts";
import type { ManagerConnection } from "./manager-connection.ts";

export interface WaitOptions {
  /** Milliseconds until the promise rejects with `timeout`; 30 s by default, 24 days at most. */
  timeout?: number;
  /** Aborting rejects with its reason. */
  signal?: AbortSignal;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const RULES = { timeout: MILLISECONDS, signal: objectWith("addEventListener", "removeEventListener") };

/** A wait in progress. It ends once, and `subscription` ends with it. */
export interface Wait<T> {
  readonly subscription: Subscription;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
  /** The goal can no longer be reached. Rejects with `conflict`: the message, followed by the text of `context`. */
  readonly fail: (message: string) => void;
}

export interface WaitFor<T> {
  readonly client: ManagerConnection;
  /** Names the subject and the goal: "'db'" and "'ready'" make "'db' did not reach 'ready' within 30000 ms". */
  readonly subject: string;
  readonly what: string;
  readonly options: WaitOptions;
  /** Text that a rejection quotes below its message, such as the last output; "" for nothing. */
  readonly context: () => Promise<string>;
  readonly begin: (wait: Wait<T>) => void | Promise<void>;
}

/**
 * Settles in any case: by the goal, a failure, a time-out, an abort, or the end of the connection (`host_unavailable`); rejects with
 * `bad_field` for invalid options. A connection that is lost and restored does not end it.
 */
export function waitFor<T>({ client, subject, what, options, context, begin }: WaitFor<T>): Promise<T> {
  // A rejection comes from a timer or a frame, so its own stack does not show the caller.
  const site = new Error();
  return new Promise((resolve, rejectWith) => {
    const reject = (error: unknown) => rejectWith(atSite(error, site));
    checkOptions("a wait", options, RULES);
    const { timeout = DEFAULT_TIMEOUT_MS, signal } = options;
    if (signal?.aborted) return reject(signal.reason);
    const subscription = new Subscription();
    const settle = (conclude: () => void) => {
      if (subscription.closed) return;
      client.clock.clearTimeout(timer);
      stopListening();
      subscription.unsubscribe();
      conclude();
    };
    const fail = (code: "timeout" | "conflict", message: string) =>
      settle(() => explained(message, context).then((whole) => reject(new MgrError(code, whole))));
    const aborted = () => settle(() => reject(signal?.reason));
    const timer = client.clock.setTimeout(
      () => fail("timeout", `${subject} did not reach ${what} within ${timeout} ms${client.connectionProblem}`),
      timeout,
    );
    const stopListening = signal ? onAbort(signal, aborted) : () => {};
    const ended = () =>
      settle(() =>
        reject(new MgrError("host_unavailable", `the connection ended while waiting for ${what} of ${subject}${client.connectionProblem}`)),
      );
    subscription.add(client.frames$.subscribe({ complete: ended }));
    const wait: Wait<T> = {
      subscription,
      resolve: (value) => settle(() => resolve(value)),
      reject: (error) => settle(() => reject(error)),
      fail: (message) => fail("conflict", message),
    };
    Promise.resolve()
      .then(() => begin(wait))
      .catch(wait.reject);
  });
}

/** The folder of this library, as stacks name it. A bundle for browsers has no URL of its own. */
const LIBRARY = String(import.meta.url)
  .replace(/^file:\/\//, "")
  .replace(/client\/wait\.[jt]s.*$/, "");

/** An error of the library gets the stack of `site`, from the caller of the library on: test runners show the place of its first line. */
export function atSite(error: unknown, site: Error): unknown {
  if (!(error instanceof MgrError)) return error;
  const frames = site.stack?.split("\n").filter((line) => /^\s+at /.test(line) && !line.includes(LIBRARY)) ?? [];
  if (frames.length > 0) error.stack = [`${error.name}: ${error.message}`, ...frames].join("\n");
  return error;
}

async function explained(message: string, context: () => Promise<string>): Promise<string> {
  const more = await context().catch(() => "");
  return more === "" ? message : `${message}\n${more}`;
}

/**
 * Calls `ask` when the link is open and again after each reconnect, until `subscription` ends; resolves after its first success. If the
 * connection is lost before the answer, it is called again; any other failure rejects.
 */
export function onEachOpening(client: ManagerConnection, subscription: Subscription, ask: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    subscription.add(
      client.link.state$.subscribe((state) => {
        if (state.kind === "open") ask().then(resolve, (error: unknown) => isLost(error) || reject(error));
      }),
    );
  });
}

/** Whether the connection was lost before the answer. A refusal by the manager has its frame as details. */
function isLost(error: unknown): boolean {
  return error instanceof MgrError && error.code === "host_unavailable" && error.details === null;
}
