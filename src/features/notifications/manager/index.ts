import type { ManagerCore, ManagerFeature } from "../../../app/feature.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { notificationHandlers } from "./handlers.ts";
import { observeHost } from "./host-conditions.ts";
import { type KeptFile, noKeptFile, openKeptFile } from "./kept-state.ts";
import { ManagerNotifications } from "./manager-notifications.ts";
import type { Notifications } from "./notifications.ts";
import { ProcessConditions } from "./process-conditions.ts";

/** Notifications about conditions, by rules of the configuration. */
export const notifications: ManagerFeature<Notifications> = {
  name: "notifications",
  async open({ files, warn }) {
    const file = openKeptFile(files, warn);
    return (core) => attach(core, file);
  },
  attach: (core) => attach(core, noKeptFile),
};

function attach(core: ManagerCore, file: KeptFile) {
  const { conditions, config, events, processes } = core;
  const states = new ProcessConditions({
    conditions,
    process: (name) => processes.process(name),
    isShuttingDown: core.isShuttingDown,
    isEssential: (name) => config().processes.get(name)?.essential ?? false,
  });
  const unsubscribe = events.subscribe((event) => {
    states.observe(event);
    observeHost(conditions, event);
  });
  const service = new ManagerNotifications({ ...core, file });
  return {
    service,
    ...notificationsExtension(service),
    begin: () => service.begin(),
    reconfigured: () => service.reconfigure(),
    close: () => {
      unsubscribe();
      return service.close();
    },
  };
}

export function notificationsExtension(service: Notifications): FeatureExtension {
  return { transport: { handlers: notificationHandlers(service) } };
}
