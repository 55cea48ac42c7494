import type { ManagerFeature } from "../../../app/feature.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import type { HandlerTable } from "../../../transport/handlers/handler.ts";
import type { HiddenNames } from "../../../transport/hidden-names.ts";
import { DEFAULT_STEP_S, type RestartStep, type rollingRestartCommands } from "../wire.ts";
import { ManagerRollingRestarts } from "./manager-rolling-restarts.ts";
import type { RollingRestarts } from "./rolling-restarts.ts";

/** Restarts processes one after the other, each when the one before is ready. */
export const rollingRestart: ManagerFeature<RollingRestarts> = {
  name: "rolling-restart",
  attach(core) {
    const service = new ManagerRollingRestarts(core);
    return {
      service,
      ...rollingRestartExtension(service),
      stepped: (kind, name) => {
        if (kind === "process") service.stepped(name);
      },
      close: () => service.close(),
    };
  },
};

export function rollingRestartExtension(service: RollingRestarts): FeatureExtension {
  const handlers: HandlerTable<keyof typeof rollingRestartCommands> = {
    rolling_restart: {
      kind: "request",
      owners: ({ names }) => names,
      answer: ({ names, timeout = DEFAULT_STEP_S }, { principal }) => {
        const id = service.begin(names, { timeoutMs: timeout * 1_000, by: principal.user });
        return [{ type: "rolling_restart_begun", ok: true, id }];
      },
    },
    cancel_rolling_restart: {
      kind: "command",
      owners: ({ id }) => service.namesOf(id),
      run: ({ id }, { principal }) => service.cancel(id, principal.user),
    },
  };
  return {
    transport: {
      handlers,
      snapshot: ({ view, hiddenNames }) => ({ restart_steps: service.list(view).map((step) => shownTo(hiddenNames, step)) }),
      withoutHidden: (change, hidden) =>
        change.type === "restart_step_upsert" ? { ...change, step: shownTo(hidden, change.step) } : change,
    },
  };
}

/** The reason may be another process of the rolling restart, or one that this one needs. */
function shownTo(hidden: HiddenNames | null, step: RestartStep): RestartStep {
  return hidden === null ? step : { ...step, reason: hidden.reason(step.reason) };
}
