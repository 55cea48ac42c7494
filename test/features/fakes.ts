import type { FeatureExtension } from "../../src/http/extension.ts";
import type { FakeControl } from "../support/fake-control.ts";
import { FakeDataPlane } from "./data-plane/fake-data-plane.ts";
import { FakeDisplays } from "./displays/fake-displays.ts";
import { FakeLoggers } from "./loggers/fake-loggers.ts";
import { FakeNetwork } from "./network-statistics/fake-network.ts";
import { FakeOutputSearch } from "./output-search/fake-output-search.ts";
import { FakeTasks } from "./process-list/fake-tasks.ts";
import { FakeRecordings } from "./recordings/fake-recordings.ts";

/** The features of a manager without machines. Like the lists of src/features, the only place that names them. */
export class FakeFeatures {
  readonly dataPlane = new FakeDataPlane();
  readonly recordings = new FakeRecordings();
  readonly loggers = new FakeLoggers();
  readonly displays: FakeDisplays;
  readonly network = new FakeNetwork();
  readonly outputSearch = new FakeOutputSearch();
  readonly tasks: FakeTasks;

  constructor(control: FakeControl) {
    this.displays = new FakeDisplays(control.log);
    this.tasks = new FakeTasks(control);
  }

  get extensions(): FeatureExtension[] {
    return Object.values(this).map(({ extension }: { extension: FeatureExtension }) => extension);
  }
}
