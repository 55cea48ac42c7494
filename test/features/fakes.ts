import type { FakeControl } from "../support/fake-control.ts";
import { FakeDataPlane } from "./data-plane/fake-data-plane.ts";
import { FakeDisplays } from "./displays/fake-displays.ts";
import { FakeLoadHistory } from "./load-history/fake-load-history.ts";
import { FakeLoggers } from "./loggers/fake-loggers.ts";
import { FakeNetwork } from "./network-statistics/fake-network.ts";
import { FakeOutputSearch } from "./output-search/fake-output-search.ts";
import { FakeTasks } from "./process-list/fake-tasks.ts";
import { FakeRecordings } from "./recordings/fake-recordings.ts";

/** The features of a manager without machines. Like the lists of src/features, the only place that names them. */
export const fakeFeatures = (control: FakeControl) => ({
  dataPlane: new FakeDataPlane(),
  recordings: new FakeRecordings(),
  loadHistory: new FakeLoadHistory(),
  loggers: new FakeLoggers(),
  displays: new FakeDisplays(control.log),
  network: new FakeNetwork(),
  outputSearch: new FakeOutputSearch(),
  tasks: new FakeTasks(control),
});
