import { withManagerUntilInterrupted } from "../../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../../cli/manager/connection-target.ts";
import { type Column, jsonText, table } from "../../../../cli/output/table.ts";
import { byteRate, bytesText, rateText } from "../../../../client/shown/units.ts";
import { limitText, verdictText } from "../../limit-text.ts";
import type { Topic } from "../../wire/topic.ts";
import { findTopics } from "./find-topic.ts";
import type { TopicsStatFrame } from "./frames.ts";

export interface RateFlags extends ConnectionFlags {
  once?: boolean;
  json?: boolean;
  /** Seconds of one measurement. */
  window: number;
}

/** Time that the manager has for its answer after the measurement, milliseconds. */
const MARGIN_MS = 15_000;

type Row = TopicsStatFrame["topics"][number] & Pick<Topic, "limits">;
interface Measurement {
  readonly sample_seconds: number;
  readonly topics: Row[];
}
export type Measure = "hz" | "bw";

/** `mgr topic hz|bw [NAME…]`: shows rates that the brokers count, without a subscription. */
export async function topicRates(measure: Measure, names: string[], flags: RateFlags): Promise<void> {
  await withManagerUntilInterrupted(flags, async (client, interrupted) => {
    const chosen = new Set((await findTopics(client, names)).map(({ name }) => name));
    do {
      const stat = await client.request(
        { type: "request_topics_stat", sample_seconds: flags.window },
        { timeout: flags.window * 1_000 + MARGIN_MS },
      );
      const limits = new Map((await findTopics(client, [])).map((topic) => [topic.name, topic.limits]));
      const rows = stat.topics
        .filter(({ name }) => names.length === 0 || chosen.has(name))
        .map((row) => ({ ...row, limits: limits.get(row.name) ?? [] }));
      process.stdout.write(measured(measure, { sample_seconds: stat.sample_seconds, topics: rows }, flags));
    } while (!flags.once && !interrupted.aborted);
  });
}

/** One measurement as text; on a terminal it replaces the previous one. */
export function measured(measure: Measure, stat: Measurement, { once, json }: { once?: boolean; json?: boolean }): string {
  if (json) return `${jsonText({ sample_seconds: stat.sample_seconds, topics: stat.topics }, { oneLine: true })}\n`;
  const limits = measure === "hz" && stat.topics.some((row) => row.limits.length > 0) ? [LIMIT] : [];
  const text = `${table<Row>([{ title: "TOPIC", text: ({ name }) => name }, ...COLUMNS[measure], ...limits], stat.topics)}\n`;
  if (once) return text;
  return process.stdout.isTTY ? `\x1b[H\x1b[2J${text}` : `${text}\n`;
}

const messages: Column<Row> = { title: "MESSAGES", text: ({ packets }) => String(packets), right: true };
const LIMIT: Column<Row> = {
  title: "LIMIT",
  text: ({ limits }) => limits.map((limit) => `${limitText(limit)}: ${verdictText(limit, secondsOf)}`).join("; ") || "-",
};
/** A time of the protocol without its milliseconds. */
const secondsOf = (timestamp: string) => `${timestamp.slice(0, 19)} UTC`;
const COLUMNS: Readonly<Record<Measure, Column<Row>[]>> = {
  hz: [
    { title: "RATE", text: ({ rate }) => rateText(rate), right: true },
    messages,
    { title: "PERIOD", text: ({ rate }) => (rate > 0 ? `${(1_000 / rate).toFixed(3)} ms` : "-"), right: true },
  ],
  bw: [
    { title: "BANDWIDTH", text: ({ bytes_s }) => byteRate(bytes_s), right: true },
    messages,
    { title: "MEAN SIZE", text: ({ bytes_s, rate }) => (rate > 0 ? bytesText(bytes_s / rate) : "-"), right: true },
  ],
};
