import { z } from "zod";
import { objectName } from "../../protocol/frames/field-kinds.ts";
import { answer, clientFrames, managerFrames } from "../../protocol/frames/frame-table.ts";
import { KEPT_STATES } from "./contract.ts";

const keptTopic = z
  .object({
    topic: z.string(),
    host: z.string().describe("The host that keeps them: that of the publisher."),
    state: z
      .enum(KEPT_STATES)
      .describe(
        "Why they wait: `empty`: none does. `no_subscriber`: no program of another host asks for late samples. `unconfirmed`: none has confirmed them. `share_used`: they are being sent, and live samples have the link until the next window.",
      ),
    wait_ms: z.number().nullable().describe("Time until they are sent again; null: it is not known, or they are being sent."),
    samples: z.int().describe("Samples that wait."),
    bytes: z.int().describe("Their size on the disk, together with samples of the same file that were sent."),
    oldest_age_ms: z.number().nullable().describe("Time since the host received the oldest of them; null: none waits."),
    sent: z.int().describe("Late samples that a subscriber has confirmed, since the start of the daemon."),
    dropped: z.int().describe("Samples that were dropped since the start of the daemon: too old, too many, or the disk failed."),
  })
  .meta({ id: "KeptTopic", description: "Samples of a topic that a host keeps for its link." });
export type KeptTopic = z.infer<typeof keptTopic>;

export const storeForwardCommands = clientFrames("Topics", {
  request_kept_samples: {
    fields: { name: objectName.describe("Name of a topic. Default: all.").exactOptional() },
    answer: "kept_samples",
    scope: "seen",
    role: "viewer",
    readOnly: true,
    meaning: "The samples that hosts keep because of a cut link (`store_forward` in the configuration).",
  },
});

export const storeForwardFrames = managerFrames("Topics", {
  kept_samples: answer(
    {
      is_named: z.boolean().describe("Whether `store_forward.topics` has a pattern for the topic; without a name, whether it has any."),
      topics: z.array(keptTopic).describe("Topics of which a host has kept samples since the start of its daemon."),
      other_topics: z.int().describe("Topics that were left out: an answer has 500 of each host."),
      away: z.array(z.string()).describe("Hosts that could not be asked. They may keep samples."),
    },
    "Kept samples.",
  ),
});
