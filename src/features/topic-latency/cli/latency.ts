import { withManager } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { printJson } from "../../../cli/output/table.ts";
import { ANSWER_MARGIN_MS } from "../limits.ts";
import { latencyText } from "./latency-text.ts";

export interface LatencyFlags extends ConnectionFlags {
  chain?: string[];
  /** Seconds. */
  for: number;
  /** Milliseconds. */
  limit?: number;
  json?: boolean;
}

/** `mgr topic latency NAME`. */
export async function latency(name: string, { chain, limit, json, ...flags }: LatencyFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const {
      ok: _ok,
      type: _type,
      request_id: _id,
      ...measured
    } = await client.request(
      {
        type: "measure_topic_latency",
        name,
        sample_seconds: flags.for,
        ...(chain === undefined ? {} : { chain }),
        ...(limit === undefined ? {} : { limit_ms: limit }),
      },
      { timeout: flags.for * 1_000 + ANSWER_MARGIN_MS },
    );
    if (json) printJson(measured);
    else process.stdout.write(latencyText(measured));
  });
}
