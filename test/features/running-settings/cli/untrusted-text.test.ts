import { expect, test } from "vitest";
import { settingsText } from "../../../../src/features/running-settings/cli/settings-text.ts";
import { describeUntrustedText, type Places, writesOf } from "../../../support/suites/untrusted-text-suite.ts";
import { SETTING, SETTINGS } from "../fake-running-settings.ts";

const FOUND = { ...SETTINGS, name: "sim/world" };

/** Every place that prints untrusted text, and what it prints. */
const PLACES: Places = {
  "mgr show": (text) =>
    settingsText(
      {
        ...FOUND,
        name: text,
        host: text,
        problem: text,
        settings: [{ ...SETTING, name: text, running: text, configured: text, reason: text }],
      },
      { onlyDifferences: false, width: 2_000 },
    ),
};

describeUntrustedText(PLACES);

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/running-settings")).toEqual({ "src/features/running-settings/cli/show.ts": 1 });
});
