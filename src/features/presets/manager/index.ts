import type { ManagerFeature } from "../../../app/feature.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { dataPlane } from "../../data-plane/manager/index.ts";
import { presetHandlers } from "./handlers.ts";
import { ManagerPresets } from "./manager-presets.ts";
import type { Presets } from "./presets.ts";

export type { ManagerPresets } from "./manager-presets.ts";

/** Values of parameters in files: saved, compared and loaded by name. */
export const presets: ManagerFeature<ManagerPresets> = {
  name: "presets",
  attach: (core) => {
    const programs = core.use(dataPlane);
    const providersOf = (service: string) => programs.tables.owners.providersOf(service);
    const service = new ManagerPresets({ ...core, dataPlane: programs, providersOf });
    return { service, ...presetsExtension(service) };
  },
};

export function presetsExtension(service: Presets): FeatureExtension {
  return {
    http: {
      names: {
        preset: async () => (await service.list(null)).presets.map(({ name, description: about }) => ({ name, about })),
      },
    },
    transport: { handlers: presetHandlers(service) },
  };
}
