import { randomUUID } from "node:crypto";
import { z } from "zod";
import { messageOf } from "../../../base/errors.ts";
import { pause, systemClock } from "../../../base/timing/clock.ts";
import type { ByteStream } from "../../carriers/byte-stream.ts";
import type { Broker } from "../broker.ts";
import type { DialedLink, LinkCredentials } from "./dialed-link.ts";
import { LinkAccount, linkState } from "./link-account.ts";

/** First and longest pause between attempts, milliseconds; the pauses grow. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;
/** Time limit for one attempt until the hub has accepted the link, milliseconds. */
const ATTEMPT_MS = 15_000;
/** Pause before a link that leads back to this broker is tried again, milliseconds; as in nats-server. */
const LOOP_PAUSE_MS = 30_000;

/** Target and credentials of a hub. */
export interface HubDial {
  /** Whether the hub is within this machine. */
  readonly isLocal: boolean;
  /** The address for messages, without secrets. Read after the attempt, because there may be several addresses. */
  place(): string;
  stream(signal: AbortSignal): Promise<ByteStream>;
  /** Credentials for the address that was dialed last. */
  credentials(): LinkCredentials;
}

export interface HubConnectionOptions {
  readonly broker: Broker;
  /** Name of this broker in the hub's statistics. */
  readonly name: string;
  readonly dial: HubDial;
  readonly log: (level: "info" | "warning", msg: string) => void;
  /** Called when the link comes up or goes down. */
  readonly onChange?: (isUp: boolean) => void;
  /** Called when the hub has received all that clients here had published at this time (`performance.now`), milliseconds. */
  readonly onConfirmed?: (at: number) => void;
  /** State of the connection of an earlier program. */
  readonly taken?: HubState | undefined;
}

/** A link to a hub for the next program, which dials again. */
export const hubState = z.object({ linkId: z.string(), account: linkState });
export type HubState = z.infer<typeof hubState>;

/** Keeps a broker linked to its hub: dials again for ever. */
export class HubConnection {
  readonly #options: HubConnectionOptions;
  readonly #account = new LinkAccount();
  readonly #linkId: string;
  readonly #end = new AbortController();
  readonly #ended: Promise<void>;
  #link: DialedLink | null = null;
  #failures = 0;
  /** The problem that was logged last: each new one is logged once. */
  #reported: string | null = "";

  constructor(options: HubConnectionOptions) {
    const { taken, broker } = options;
    this.#options = options;
    this.#linkId = taken?.linkId ?? randomUUID();
    if (taken !== undefined) {
      this.#account.adopt(taken.account);
      broker.missFor(this.#account);
    }
    this.#ended = this.#run();
  }

  handOver(): HubState {
    const leaf = this.#link?.leaf ?? null;
    const waiting = { msgs: 0, bytes: 0 };
    for (const { msgs, bytes } of leaf?.connection.waiting().values() ?? []) {
      waiting.msgs += msgs;
      waiting.bytes += bytes;
    }
    return { linkId: this.#linkId, account: this.#account.handOver(leaf?.wanted ?? null, waiting) };
  }

  async close(): Promise<void> {
    this.#end.abort();
    await this.#link?.drainAndClose();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      const { problem, isLoop } = await this.#attempt();
      if (signal.aborted) return;
      if (problem !== null) this.#report(problem);
      const ms = isLoop ? LOOP_PAUSE_MS : Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 1.5 ** this.#failures++);
      await pause(systemClock, ms * (0.75 + Math.random() / 2), signal).catch(() => undefined);
    }
  }

  /** Dials once; resolves when the connection is over. */
  async #attempt(): Promise<{ problem: string | null; isLoop: boolean }> {
    const { broker, name, dial, onChange, onConfirmed } = this.#options;
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort();
      this.#link?.destroy();
    }, ATTEMPT_MS);
    try {
      const stream = await dial.stream(AbortSignal.any([late.signal, this.#end.signal]));
      return await new Promise((resolve) => {
        let isUp = false;
        this.#link = broker.link({
          stream,
          name,
          place: dial.place(),
          isLocal: dial.isLocal,
          credentials: dial.credentials(),
          account: this.#account,
          linkId: this.#linkId,
          onUp: () => {
            clearTimeout(timer);
            isUp = true;
            this.#failures = 0;
            this.#report(null);
            onChange?.(true);
          },
          ...(onConfirmed === undefined ? {} : { onConfirmed }),
          onClosed: (problem, isLoop) => {
            this.#link = null;
            if (isUp) onChange?.(false);
            resolve({ problem: problem ?? (isUp ? "the connection was lost" : "the connection was closed"), isLoop });
          },
        });
        if (this.#end.signal.aborted) void this.#link.drainAndClose();
      });
    } catch (error) {
      return { problem: messageOf(error), isLoop: false };
    } finally {
      clearTimeout(timer);
    }
  }

  #report(problem: string | null): void {
    if (problem === this.#reported) return;
    this.#reported = problem;
    const { log, dial } = this.#options;
    if (problem === null) log("info", `linked to the hub ${dial.place()}`);
    else log("warning", `no link to the hub ${dial.place()}, programs of other hosts are out of reach: ${problem}; retrying`);
  }
}
