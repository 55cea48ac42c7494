import { counted } from "../../../base/text/counted.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { withManager } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { printJson, table } from "../../../cli/output/table.ts";
import { bytesText, spanText } from "../../../client/shown/units.ts";
import type { AnswerOf } from "../../../protocol/frames/frames.ts";
import { stateText } from "../kept-text.ts";
import type { KeptTopic } from "../wire.ts";

interface KeptFlags extends ConnectionFlags {
  json?: boolean;
}

type Kept = Omit<AnswerOf<"request_kept_samples">, "type" | "request_id">;

/** `mgr topic kept [NAME]`. */
export async function kept(name: string | undefined, { json, ...flags }: KeptFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const answer = await client.request({ type: "request_kept_samples", ...(name === undefined ? {} : { name }) });
    const { type: _type, request_id: _id, ...found } = answer;
    if (json) printJson(found);
    else process.stdout.write(`${keptTable(found)}\n`);
  });
}

export function keptTable({ is_named, topics, other_topics, away }: Kept): string {
  const rows = table<KeptTopic>(
    [
      { title: "TOPIC", text: ({ topic }) => topic },
      { title: "HOST", text: ({ host }) => host },
      { title: "KEPT", text: ({ samples }) => String(samples), right: true },
      { title: "SIZE", text: ({ bytes }) => bytesText(bytes), right: true },
      { title: "OLDEST", text: ({ oldest_age_ms }) => (oldest_age_ms === null ? "-" : spanText(oldest_age_ms)), right: true },
      { title: "SENT", text: ({ sent }) => String(sent), right: true },
      { title: "DROPPED", text: ({ dropped }) => String(dropped), right: true },
      { title: "STATE", text: (each) => stateText(each) || "-", spare: 1 },
    ],
    topics,
  );
  return [
    topics.length > 0 ? rows : is_named ? "No samples were kept." : "No topic is kept: see 'store_forward' in docs/store-forward.md.",
    ...(other_topics > 0 ? [`${counted(other_topics, "further topic")} not shown.`] : []),
    ...(away.length > 0 ? [`Not asked, because they cannot be reached: ${away.map(visible).join(", ")}.`] : []),
  ].join("\n");
}
