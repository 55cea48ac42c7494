import type { FakeControl } from "../support/fakes/fake-control.ts";
import { FakeAccessTokens } from "./access-tokens/fake-access-tokens.ts";
import { FakeAlerts } from "./alerts/fake-alerts.ts";
import { FakeAudit } from "./audit/fake-audit.ts";
import { FakeCrashReports } from "./crash-reports/fake-crash-reports.ts";
import { FakeDataPlane } from "./data-plane/fake-data-plane.ts";
import { FakeDisplays } from "./displays/fake-displays.ts";
import { FakeFlight } from "./flight/fake-flight.ts";
import { FakeForwards } from "./forward/fake-forwards.ts";
import { FakeLimits } from "./limits/fake-limits.ts";
import { FakeLoadHistory } from "./load-history/fake-load-history.ts";
import { FakeLoggers } from "./loggers/fake-loggers.ts";
import { FakeMcp } from "./mcp/fake-mcp.ts";
import { FakeModes } from "./modes/fake-modes.ts";
import { FakeNetwork } from "./network-statistics/fake-network.ts";
import { FakeNotifications } from "./notifications/fake-notifications.ts";
import { FakeOutputRuns } from "./output-runs/fake-output-runs.ts";
import { FakeOutputSearch } from "./output-search/fake-output-search.ts";
import { FakePorts } from "./ports/fake-ports.ts";
import { FakePresets } from "./presets/fake-presets.ts";
import { FakeTasks } from "./process-list/fake-tasks.ts";
import { FakeRecordings } from "./recordings/fake-recordings.ts";
import { FakePlaybacks } from "./replay/fake-playbacks.ts";
import { FakeReplicas } from "./replicas/fake-replicas.ts";
import { FakeRollingRestarts } from "./rolling-restart/fake-rolling-restarts.ts";
import { FakeRunningSettings } from "./running-settings/fake-running-settings.ts";
import { FakeSchedules } from "./schedule/fake-schedules.ts";
import { FakeStartAnalysis } from "./start-analysis/fake-start-analysis.ts";
import { FakeStoreForward } from "./store-forward/fake-store-forward.ts";
import { FakeTags } from "./tags/fake-tags.ts";
import { FakeTopicLatency } from "./topic-latency/fake-topic-latency.ts";
import { FakeUpgrades } from "./upgrades/fake-upgrades.ts";

/** The features of a manager without machines. Like the lists of src/features, the only place that names them. */
export const fakeFeatures = (control: FakeControl) => ({
  crashReports: new FakeCrashReports(),
  dataPlane: new FakeDataPlane(),
  recordings: new FakeRecordings(),
  playbacks: new FakePlaybacks(),
  loadHistory: new FakeLoadHistory(),
  loggers: new FakeLoggers(),
  displays: new FakeDisplays(control.log),
  network: new FakeNetwork(),
  outputRuns: new FakeOutputRuns(),
  outputSearch: new FakeOutputSearch(),
  presets: new FakePresets(),
  ports: new FakePorts(),
  runningSettings: new FakeRunningSettings(),
  startAnalysis: new FakeStartAnalysis(),
  tasks: new FakeTasks(control),
  alerts: new FakeAlerts(),
  audit: new FakeAudit(),
  notifications: new FakeNotifications(),
  limits: new FakeLimits(),
  accessTokens: new FakeAccessTokens(),
  mcp: new FakeMcp(control),
  schedules: new FakeSchedules(),
  replicas: new FakeReplicas(),
  rollingRestarts: new FakeRollingRestarts(),
  tags: new FakeTags(),
  modes: new FakeModes(),
  flight: new FakeFlight(),
  forward: new FakeForwards(control),
  topicLatency: new FakeTopicLatency(),
  storeForward: new FakeStoreForward(),
  upgrades: new FakeUpgrades(),
});
