import { expect, test } from "vitest";
import { configuredText } from "../../../../src/features/loggers/cli/configure.ts";
import { controlText } from "../../../../src/features/loggers/cli/control.ts";
import { downloadedText } from "../../../../src/features/loggers/cli/download.ts";
import { listing as loggerListing } from "../../../../src/features/loggers/cli/list.ts";
import type { DaemonLogger } from "../../../../src/features/loggers/wire.ts";
import { describeUntrustedText, type Places, writesOf } from "../../../support/suites/untrusted-text-suite.ts";

const logger = (text: string): DaemonLogger => ({
  name: text,
  enabled: true,
  active_topics: [text],
  topics: [{ name: text, log_size: 1, divisor: 1, only_ts: false, enabled: true, active: true, n_samples: 1, md_name: text, port: text }],
});

/** Every place that prints untrusted text, and what it prints. */
const PLACES: Places = {
  "mgr logger list": (text) => loggerListing([logger(text)]),
  "mgr logger start": (text) => controlText("start", text),
  "mgr logger configure": (text) => configuredText(text, [{ name: text }]),
  "mgr logger download": (text) => downloadedText(text, 1),
};

describeUntrustedText(PLACES);

/** How often each file writes to a terminal. A new place comes into the table above; then it is counted here. */
const WRITES = {
  "src/features/loggers/cli/configure.ts": 1,
  "src/features/loggers/cli/control.ts": 1,
  "src/features/loggers/cli/download.ts": 1,
  "src/features/loggers/cli/list.ts": 1,
};

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/loggers")).toEqual(WRITES);
});
