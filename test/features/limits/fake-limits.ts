import { MgrError } from "../../../src/base/errors.ts";
import { limitsExtension } from "../../../src/features/limits/manager/index.ts";
import type { Limits } from "../../../src/features/limits/manager/limits.ts";
import type { LimitState } from "../../../src/features/limits/wire.ts";
import { contains, type ViewMode } from "../../../src/transport/view.ts";

export const RESTARTED: LimitState = {
  name: "sim/world",
  host: "testhost",
  reached: [
    {
      measure: "memory",
      value: 2.1 * 1024 ** 3,
      above: 2 * 1024 ** 3,
      over_ms: 31_000,
      at: "2026-11-21T08:14:02.000",
      action: "restart",
      times: 2,
    },
    { measure: "cpu", value: 152.3, above: 150, over_ms: 60_000, at: "2026-11-21T08:14:02.000", action: "notify", times: 1 },
  ],
  cgroup_problem: null,
};

/** Limits that a test sets. */
export class FakeLimits implements Limits {
  readonly extension = limitsExtension(this);
  states: LimitState[] = [];

  list(view: ViewMode): LimitState[] {
    return this.states.filter(({ name }) => contains(view, name));
  }

  async clear(name: string): Promise<void> {
    if (name === "unknown") throw new MgrError("not_found", "there is no process 'unknown'");
    this.states = this.states.filter((state) => state.name !== name);
  }

  subscribe(): () => void {
    return () => {};
  }
}
