import { expect, it } from "vitest";
import { infoText } from "../../../../src/features/data-plane/cli/topic/info.ts";
import { fakeTopic } from "../fake-data.ts";

const detail = {
  publisher: null,
  subscribers: [],
  definition: "",
  encoding: "raw",
  keep_last: false,
  priority: 0,
  max_age_ms: null,
  reliable_within: null,
  kept_dropped: 0,
  last_sample: null,
};

it("mgr topic info shows how messages wait for slow receivers, and what was dropped", () => {
  const text = infoText({
    ...detail,
    topic: fakeTopic("arm/state", { dropped_packets: 3 }),
    keep_last: true,
    priority: 5,
    max_age_ms: 1_500,
    reliable_within: 200_000,
    kept_dropped: 2,
  });
  expect(text).toMatch(/keep last .*yes, 2 kept messages dropped \(memory used up\)\n/);
  expect(text).toMatch(/priority .*5 \(0 to 7\)\n/);
  expect(text).toMatch(/max age .*1500 ms\n/);
  expect(text).toMatch(/reliable .*within 200 kB\n/);
  expect(text).toMatch(/dropped .*3 messages \(slow subscribers\)\n/);
});

it("mgr topic info leaves out unset options and zero losses", () => {
  const text = infoText({ ...detail, topic: fakeTopic("arm/state", { dropped_packets: 0 }) });
  expect(text).not.toMatch(/keep last|priority|max age|reliable|dropped/);
});
