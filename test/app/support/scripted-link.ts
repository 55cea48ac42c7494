import type { HostSessionListener } from "../../../src/app/hosts/host-session.ts";
import { MgrError } from "../../../src/base/errors.ts";
import type { HostLink, HostListener } from "../../../src/contract/host-link.ts";
import type { HostEvent, HostHeartbeat, HostRequestName, OutputWindows, RequestOf, ResponseOf } from "../../../src/contract/messages.ts";
import type { RunReport } from "../../../src/contract/run.ts";

const nothing = () => {};
/** A listener of a session that does nothing. */
export const IDLE_LISTENER: HostSessionListener = {
  onHeartbeat: nothing,
  onOutput: nothing,
  onLog: nothing,
  onReport: nothing,
  onEvent: nothing,
  onStopping: nothing,
  onStale: nothing,
};

/** A request that has arrived and waits for the test's answer. */
export interface Asked {
  readonly name: HostRequestName;
  // The test knows which request it expects.
  readonly request: Record<string, unknown>;
  answer(response: unknown): Promise<void>;
  refuse(error: Error): Promise<void>;
}

/** A host whose every answer and event the test gives. */
export class ScriptedLink implements HostLink {
  readonly host = "bench";
  readonly isDirect: boolean;
  readonly asked: Asked[] = [];
  readonly heartbeats: string[] = [];
  readonly windows: OutputWindows[] = [];
  readonly listeners = new Set<HostListener>();
  /** Answers at once what it returns something for. */
  auto: (name: HostRequestName, request: Record<string, unknown>) => unknown = () => undefined;

  constructor(isDirect = false) {
    this.isDirect = isDirect;
  }

  request<N extends HostRequestName>(name: N, request: RequestOf<N>): Promise<ResponseOf<N>> {
    const answered = this.auto(name, request);
    if (answered instanceof Error) return Promise.reject(answered);
    if (answered !== undefined) return Promise.resolve(answered as ResponseOf<N>);
    return new Promise((resolve, reject) => {
      this.asked.push({
        name,
        request,
        answer: (response) => {
          resolve(response as ResponseOf<N>);
          return settled();
        },
        refuse: (error) => {
          reject(error);
          return settled();
        },
      });
    });
  }

  /** The oldest request that waits, which has to be a `name`. */
  next(name: HostRequestName): Asked {
    const asked = this.asked.shift();
    if (asked?.name !== name) throw new Error(`the host was asked for ${asked?.name ?? "nothing"}, not for ${name}`);
    return asked;
  }

  event(event: HostEvent): void {
    for (const listener of [...this.listeners]) listener.onEvent?.(event);
  }

  beat(heartbeat: Partial<HostHeartbeat> = {}): void {
    const whole = { host: this.host, contract: 1, pid: 1, stream_id: "stream-a", session: "s1", seq: 0, ...heartbeat };
    for (const listener of [...this.listeners]) listener.onHeartbeat?.(whole);
  }

  window(windows: OutputWindows): void {
    this.windows.push(windows);
  }

  heartbeat(session: string): void {
    this.heartbeats.push(session);
  }

  listen(listener: HostListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async close(): Promise<void> {}
}

/** When test clocks begin. */
export const HOST_TIME = Date.parse("2026-11-21T08:00:00Z");

export function hello(session = "s1", stream_id = "stream-a") {
  return { session, contract: 1, pid: 1, boot_id: "boot", stream_id, seq: 0, time: HOST_TIME };
}

export function page(seq: number, runs: RunReport[] = [], next: string | null = null) {
  return { seq, runs, next };
}

/** Promises that wait for nothing but promises have gone on. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export function stale(): MgrError {
  return new MgrError("stale_session", "say hello first");
}
