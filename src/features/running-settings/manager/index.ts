import type { ManagerFeature } from "../../../app/feature.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { aboutProcess } from "../../../transport/handlers/handler.ts";
import { type ReadRunningSettings, readRunningSettings } from "./running-settings.ts";

/** The settings that processes run with, beside those that are configured. */
export const runningSettings: ManagerFeature<null> = {
  name: "running-settings",
  attach: (core) => ({ service: null, ...runningSettingsExtension(readRunningSettings(core)) }),
};

export function runningSettingsExtension(read: ReadRunningSettings): FeatureExtension {
  return {
    transport: {
      handlers: {
        request_running_settings: {
          kind: "request",
          about: aboutProcess,
          answer: async ({ name }) => [{ type: "running_settings", ok: true, name, ...(await read(name)) }],
        },
      },
    },
  };
}
