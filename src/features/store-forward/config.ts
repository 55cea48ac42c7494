import type { z } from "zod";
import type { ConfigFeature } from "../../config/config-feature.ts";
import { defaulted, leaf, listOf, orNull, section } from "../../config/schema/schema-kinds.ts";
import { anySize, positiveDuration, recordingSize, text } from "../../config/schema/schema-values.ts";

const MAX_PATTERN_CHARS = 1_024;
const pattern = text("a name or pattern of at most 1024 characters", (value) =>
  value.length <= MAX_PATTERN_CHARS ? null : `has more than ${MAX_PATTERN_CHARS} characters`,
);
/** A part of the whole, from 0 to 1. */
const share = leaf<string, number>(
  "a share such as 20%, from 1% to 100%",
  { type: "string", pattern: String.raw`^\d+(\.\d+)?%$` },
  (value) => {
    if (typeof value !== "string" || !/^\d+(\.\d+)?%$/.test(value)) return undefined;
    const percent = Number.parseFloat(value);
    return percent >= 1 && percent <= 100 ? percent / 100 : undefined;
  },
);

/** Settings of store and forward (docs/store-forward.md). */
const storeForward = section({
  topics: defaulted(
    "Names and patterns of the topics whose samples each host keeps while its link to the hub is cut. Default: none.",
    listOf("patterns", pattern),
    [],
  ),
  max_size: defaulted("Bytes that one host keeps on its disk; the oldest samples are dropped. Default {}.", recordingSize, "256MiB"),
  max_age: defaulted("Samples that are older are dropped. Default {}.", positiveDuration, "24h"),
  share: defaulted("Share of the link that kept samples may use when it is back. Default {}.", share, "20%"),
  bandwidth: orNull(
    "Bandwidth of the link, bytes per second, of which 'share' is a part. Default: what is measured as samples are sent.",
    anySize,
  ),
});
export type StoreForwardSettings = Readonly<z.output<typeof storeForward>>;

export const storeForwardConfig = {
  file: {
    store_forward: orNull("Topics that hosts keep while their link to the hub is cut, and send when it is back.", storeForward),
  },
} satisfies ConfigFeature;
