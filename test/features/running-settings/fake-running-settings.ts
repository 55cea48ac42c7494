import { runningSettingsExtension } from "../../../src/features/running-settings/manager/index.ts";
import type { RunningSetting, RunningSettings } from "../../../src/features/running-settings/wire.ts";

export const SETTING: RunningSetting = {
  group: "environment",
  name: "MODE",
  running: "fast",
  configured: "slow",
  comparison: "changed",
  reason: null,
};

export const SETTINGS: RunningSettings = {
  host: "testhost",
  pid: 4_711,
  environment: "whole",
  problem: null,
  settings: [
    { group: "process", name: "cwd", running: "/work", configured: "/work", comparison: "same", reason: null },
    { group: "limits", name: "nofile", running: "1024 (hard 4096)", configured: null, comparison: "inherited", reason: null },
    { ...SETTING, name: "MGR_RUN", running: "1-2", configured: null, comparison: "added", reason: "set by mgr" },
    SETTING,
  ],
};

/** Every process runs with the same settings. */
export class FakeRunningSettings {
  readonly extension = runningSettingsExtension(async () => SETTINGS);
}
