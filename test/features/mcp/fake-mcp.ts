import { systemClock } from "../../../src/base/timing/clock.ts";
import { ManagerConfirmations } from "../../../src/features/mcp/manager/confirmations.ts";
import { mcpExtension } from "../../../src/features/mcp/manager/index.ts";
import type { FakeControl } from "../../support/fakes/fake-control.ts";

/** The real questions of agents, about the processes that a test sets. */
export class FakeMcp {
  readonly extension;

  constructor(control: Pick<FakeControl, "log" | "process">) {
    const confirmations = new ManagerConfirmations({ clock: systemClock, log: control.log, process: (name) => control.process(name) });
    this.extension = mcpExtension(confirmations);
  }
}
