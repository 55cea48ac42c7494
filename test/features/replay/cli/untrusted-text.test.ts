import { expect, test } from "vitest";
import { LIVE_ADVICE } from "../../../../src/features/replay/cli/live-publishers.ts";
import { beginText } from "../../../../src/features/replay/cli/play.ts";
import { liveText } from "../../../../src/features/replay/live-topics.ts";
import { describeUntrustedText, writesOf } from "../../../support/suites/untrusted-text-suite.ts";

describeUntrustedText({
  "mgr play": (text) => beginText([text], { names: new Map([[text, text]]), notes: [] }, { from: 0n, until: 1n }),
  "mgr play, beside a live publisher": (text) => liveText([{ name: text, publisher: text, publisher_host: text }], LIVE_ADVICE),
});

/** How often each file writes to a terminal. A new place comes into the table above; then it is counted here. */
const WRITES = {
  // What the connection to the manager reports, made visible.
  "src/features/replay/cli/live-publishers.ts": 1,
  // What files and the bus report, made visible; and a number of messages.
  "src/features/replay/cli/play.ts": 3,
  // Numbers and keys.
  "src/features/replay/cli/player-keys.ts": 2,
};

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/replay")).toEqual(WRITES);
});
