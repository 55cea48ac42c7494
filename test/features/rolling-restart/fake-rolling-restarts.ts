import { rollingRestartExtension } from "../../../src/features/rolling-restart/manager/index.ts";
import type { RollingRestarts } from "../../../src/features/rolling-restart/manager/rolling-restarts.ts";
import type { RestartStep } from "../../../src/features/rolling-restart/wire.ts";

/** Accepts every rolling restart, and restarts nothing. */
export class FakeRollingRestarts implements RollingRestarts {
  readonly extension = rollingRestartExtension(this);
  steps: RestartStep[] = [];

  list(): RestartStep[] {
    return this.steps;
  }

  begin(): string {
    return "rolling-1";
  }

  cancel(): void {}

  namesOf(): readonly string[] | null {
    return null;
  }
}
