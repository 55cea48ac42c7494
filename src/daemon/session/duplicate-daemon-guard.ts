import { hostname } from "node:os";
import { z } from "zod";
import { MgrError } from "../../base/errors.ts";
import type { BusSubscription } from "../../bus/broker/bus-message.ts";
import type { Bus } from "../../bus/client/bus.ts";
import { jsonOf } from "../../bus/client/rpc-envelope.ts";
import { hostSubject } from "../../contract/subjects.ts";

interface DuplicateDaemonGuardOptions {
  control: Bus;
  host: { readonly host: string; readonly streamId: string };
  log: (level: "info" | "warning" | "error", msg: string) => void;
}

/** Time for another daemon of the same name to answer, and interval of checks whether it has ended, milliseconds. */
const ANSWER_MS = 2_000;
const CHECK_INTERVAL_MS = 3_000;

const identity = z.object({ stream_id: z.string(), machine: z.string(), pid: z.number() });
type Identity = z.infer<typeof identity>;

/**
 * Two daemons with the same host name would both be commanded, and everything would run twice. So a daemon first asks for
 * another one, and serves only if there is no answer; of two that started at the same moment, or met again after a network
 * partition, one of them stops answering. Its processes keep running.
 */
export class DuplicateDaemonGuard {
  readonly #control: Bus;
  readonly #me: Identity;
  readonly #host: string;
  readonly #log: DuplicateDaemonGuardOptions["log"];
  #subscriptions: BusSubscription[] = [];
  #stop: (() => void) | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isOver = false;
  #reported = "";

  constructor({ control, host, log }: DuplicateDaemonGuardOptions) {
    this.#control = control;
    this.#me = { stream_id: host.streamId, machine: hostname(), pid: process.pid };
    this.#host = host.host;
    this.#log = log;
  }

  /** Calls `serve` whenever it is the only daemon, and the returned function when it no longer is. Returns a function that ends the guard. */
  begin(serve: () => () => void): () => void {
    void this.#check(serve);
    return () => {
      this.#isOver = true;
      if (this.#timer !== null) clearTimeout(this.#timer);
      this.#goSilent();
    };
  }

  async #check(serve: () => () => void): Promise<void> {
    this.#timer = null;
    const other = await this.#ask();
    if (this.#isOver) return;
    if (other === null) this.#speak(serve);
    else {
      this.#complain(other, "this one waits until that one has ended");
      this.#checkLater(serve);
    }
  }

  #checkLater(serve: () => () => void): void {
    this.#timer = setTimeout(() => void this.#check(serve), CHECK_INTERVAL_MS);
  }

  #speak(serve: () => () => void): void {
    this.#reported = "";
    this.#stop = serve();
    this.#subscriptions = [
      this.#control.subscribe(this.#subject, ({ data, reply }) => {
        const asking = parse(data);
        if (asking?.stream_id === this.#me.stream_id || !reply) return;
        this.#control.publish(reply, JSON.stringify(this.#me));
      }),
      // This daemon receives its own heartbeats, too; a heartbeat with another id comes from another daemon.
      this.#control.subscribe(hostSubject(this.#host, "heartbeat"), ({ data }) => {
        const heard = z.object({ stream_id: z.string(), pid: z.number() }).safeParse(jsonOf(data));
        if (!heard.success || heard.data.stream_id === this.#me.stream_id) return;
        const other = { ...heard.data, machine: "another machine" };
        if (heard.data.stream_id > this.#me.stream_id) return this.#complain(other, "that one stops answering");
        this.#complain(other, "this one does not answer until that one has ended");
        this.#goSilent();
        this.#checkLater(serve);
      }),
    ];
  }

  #goSilent(): void {
    for (const subscription of this.#subscriptions.splice(0)) subscription.unsubscribe();
    this.#stop?.();
    this.#stop = null;
  }

  async #ask(): Promise<Identity | null> {
    try {
      const { data } = await this.#control.request(this.#subject, JSON.stringify(this.#me), { timeoutMs: ANSWER_MS });
      return parse(data);
    } catch (error) {
      // No other daemon, or one that does not answer and so cannot be commanded.
      if (error instanceof MgrError) return null;
      throw error;
    }
  }

  #complain({ machine, pid, stream_id }: Identity, consequence: string): void {
    if (this.#reported === stream_id) return;
    this.#reported = stream_id;
    this.#log("error", `another daemon (pid ${pid} on ${machine}) uses the name of host '${this.#host}': ${consequence}. End one of them`);
  }

  get #subject(): string {
    return hostSubject(this.#host, "who");
  }
}

function parse(data: Uint8Array): Identity | null {
  // Another program may have sent the data.
  const parsed = identity.safeParse(jsonOf(data));
  return parsed.success ? parsed.data : null;
}
