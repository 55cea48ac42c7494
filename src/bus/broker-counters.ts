/** Messages and payload bytes, as a server counts them: `in` is what clients published. */
export interface BrokerCounters {
  in_msgs: number;
  in_bytes: number;
  out_msgs: number;
  out_bytes: number;
  /** Lost by subscribers that did not read fast enough. */
  dropped_msgs: number;
  dropped_bytes: number;
}

export function newCounters(): BrokerCounters {
  return { in_msgs: 0, in_bytes: 0, out_msgs: 0, out_bytes: 0, dropped_msgs: 0, dropped_bytes: 0 };
}
