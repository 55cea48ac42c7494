import { expect, test } from "vitest";
import { alertsText } from "../../../../src/features/alerts/cli/alerts.ts";
import { alertsCli } from "../../../../src/features/alerts/cli/index.ts";
import type { Snapshot } from "../../../../src/protocol/resources/resources.ts";
import { describeUntrustedText, type Places, writesOf } from "../../../support/suites/untrusted-text-suite.ts";
import { MATCHED, SILENT } from "../fake-alerts.ts";

const alertOf = (text: string) => ({ ...MATCHED, name: text, host: text, output: { ...MATCHED.output, line: text } }) as typeof MATCHED;

/** Every place that prints untrusted text, and what it prints. */
const PLACES: Places = {
  "mgr alerts": (text) => alertsText([alertOf(text)]),
  "mgr ps": (text) => [...(alertsCli.processRemarks?.({ alerts: [alertOf(text)] } as Snapshot) ?? [])].map(([, remark]) => remark).join(),
};

describeUntrustedText(PLACES);

/** How often each file writes to a terminal. A new place comes into the table above; then it is counted here. */
const WRITES = {
  "src/features/alerts/cli/alerts.ts": 1,
};

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/alerts")).toEqual(WRITES);
});

test("mgr alerts has a row for each process, with its reasons", () => {
  const text = alertsText([{ ...SILENT, name: "quiet" }, MATCHED]);
  expect(text).toMatch(/^NAME +HOST +MATCHES +REASON\nquiet +testhost +- +no output since \d{4}-11-21 \d\d:\d\d\n/);
  expect(text).toMatch(/sim\/world +testhost +3 +its output matched at .*\d\d:\d\d: ERROR: the arm is lost$/);
  expect(alertsText([])).toBe("no process needs attention by its alert");
});
