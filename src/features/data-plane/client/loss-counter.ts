import type { MsgHdrs } from "@nats-io/nats-core";

/** The headers of a message of a topic (docs/clients.md, "Messages"); a missing header is null. */
export interface MessageMarks {
  readonly seq: number | null;
  /** Nanoseconds since 1970. */
  readonly time: bigint | null;
  /** Whether the broker had kept the message for new subscribers. */
  readonly isLast: boolean;
  /** The messages that led to this one, for `cause` of `publish`. */
  readonly stages: string | null;
}

const SEQUENCE = /^[1-9]\d{0,15}$/;
const TIME = /^\d{1,19}$/;

export function marksOf(headers: MsgHdrs | undefined): MessageMarks {
  const seq = headers?.get("Mgr-Seq") ?? "";
  const time = headers?.get("Mgr-Time") ?? "";
  return {
    seq: SEQUENCE.test(seq) ? Number(seq) : null,
    time: TIME.test(time) ? BigInt(time) : null,
    isLast: headers?.get("Mgr-Last") === "1",
    stages: headers?.get("Mgr-Stages") || null,
  };
}

/** Counts the messages that are missing in the sequence numbers of one subject. */
export class LossCounter {
  missed = 0;
  #last: { seq: number; time: bigint | null } | null = null;

  /** `duplicate`: a kept message that was received before. `restarted`: the publisher restarted its count. */
  count({ seq, time, isLast }: Omit<MessageMarks, "stages">): "next" | "restarted" | "duplicate" {
    if (seq === null) return "next";
    const last = this.#last;
    if (isLast && last?.seq === seq && last.time === time) return "duplicate";
    this.#last = { seq, time };
    if (last === null) return "next";
    if (seq <= last.seq) return "restarted";
    this.missed += seq - last.seq - 1;
    return "next";
  }
}
