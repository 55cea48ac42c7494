import { takenState } from "../../../daemon/handover/taken-state.ts";
import type { HostFeature } from "../../../daemon/host-feature.ts";
import { loadHistoryHost } from "../../load-history/host/index.ts";
import type { LIMIT_REQUESTS } from "../contract.ts";
import { RunCgroupLimits } from "./cgroup-limits.ts";
import { HostLimits } from "./host-limits.ts";
import { limitsState } from "./limits-state.ts";

/** Compares what processes use with their limits, and sets those of their cgroups. */
export const limitsHost: HostFeature<keyof typeof LIMIT_REQUESTS> = {
  name: "limits",
  begin({ cgroupOf, clock, lists, log, publish, taken, use }) {
    const cgroups = new RunCgroupLimits(cgroupOf);
    const limits: HostLimits = new HostLimits({
      clock,
      publish: (event) => publish("limits", event),
      measureEachSecond: (names) => measureEachSecond(names),
      limitCgroup: (runId, wanted) => cgroups.set(runId, wanted),
    });
    const measureEachSecond = use(loadHistoryHost).measurements.subscribe((name, figures) => limits.measured(name, figures));
    const state = takenState(taken, limitsState, log);
    if (state !== null) limits.adopt(state);
    return {
      service: null,
      handlers: {
        set_limit_rules: (table) => {
          limits.receiveRules(table);
          return {};
        },
        limits: () => ({ ...lists.pages.of(limits.list()), seq: limits.seq }),
        clear_limits: ({ name }) => {
          limits.clear(name);
          return {};
        },
      },
      heartbeat: () => ({ limits_seq: limits.seq }),
      output: (name, bytes) => limits.output(name, bytes.length),
      runChanged: (_kind, { report }) => limits.runChanged(report),
      runEnded: (runId) => cgroups.forget(runId),
      close: () => limits.close(),
      handOver: () => limits.handOver(),
    };
  },
};
