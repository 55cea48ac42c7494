import { expect, test } from "vitest";
import { settingsText } from "../../../../src/features/running-settings/cli/settings-text.ts";
import { SETTINGS } from "../fake-running-settings.ts";

const FOUND = { ...SETTINGS, name: "sim/world" };

test("settings are in groups, each difference with its mark and its reason", () => {
  expect(settingsText(FOUND, { onlyDifferences: false, width: 200 }).split("\n")).toEqual([
    "sim/world on testhost, pid 4711",
    "",
    "   PROCESS  RUNNING  CONFIGURED",
    "   cwd      /work    as configured",
    "",
    "   LIMITS  RUNNING           CONFIGURED",
    "   nofile  1024 (hard 4096)  not configured",
    "",
    "   ENVIRONMENT  RUNNING  CONFIGURED",
    "+  MGR_RUN      1-2      -           set by mgr",
    "*  MODE         fast     slow",
  ]);
});

test("only differences are shown on request, and what is not known is said", () => {
  const text = settingsText({ ...FOUND, environment: "cut", problem: "no env file" }, { onlyDifferences: true, width: 200 });
  expect(text).not.toContain("cwd");
  expect(text).toContain("only the first part was compared");
  expect(text).toContain("The configured environment is not known: no env file");
  expect(settingsText({ ...FOUND, settings: [] }, { onlyDifferences: true })).toContain("Everything is as configured.");
});
