import { outputRunsExtension } from "../../../src/features/output-runs/manager/index.ts";

/** Hosts whose processes have printed nothing. */
export class FakeOutputRuns {
  readonly extension = outputRunsExtension({ since: async () => ({ type: "output_ends", ends: [], next: "fake.0" }) });
}
