import type { ManagerFeature } from "../../../app/feature.ts";
import { messageOf } from "../../../base/errors.ts";
import { UnixDatagramSocket } from "../../../daemon/native/unix-datagram.ts";
import { ServiceNotifier, serviceSettings } from "./service-notifier.ts";

/** A manager that systemd has started notifies it when it is up, and feeds its watchdog. */
export const service: ManagerFeature<null> = {
  name: "service",
  attach({ clock, log }) {
    const settings = serviceSettings(process.env);
    if (settings === null) return { service: null };
    let notifier: ServiceNotifier | null = null;
    return {
      service: null,
      started: () => {
        try {
          notifier = new ServiceNotifier(new UnixDatagramSocket(settings.address), { ...settings, clock });
          notifier.begin();
        } catch (error) {
          log.warn(`cannot tell systemd that the manager is up: ${messageOf(error)}`);
        }
      },
      ending: () => notifier?.end(),
      close: () => notifier?.close(),
    };
  },
};
