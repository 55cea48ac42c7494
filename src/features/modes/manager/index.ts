import type { AttachedFeature, ManagerCore, ManagerFeature } from "../../../app/feature.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { dataPlane } from "../../data-plane/manager/index.ts";
import { presets } from "../../presets/manager/index.ts";
import { modeHandlers } from "./handlers.ts";
import { ManagerModes } from "./manager-modes.ts";
import type { Modes } from "./modes.ts";
import { type ModeFile, noModeFile, openModeFile } from "./saved-mode.ts";

/** Switches the whole set-up between configured modes. */
export const modes: ManagerFeature<Modes> = {
  name: "modes",
  open: async ({ files, warn }) => {
    const file = openModeFile(files, warn);
    return (core) => attach(core, file);
  },
  attach: (core) => attach(core, noModeFile),
};

function attach(core: ManagerCore, file: ModeFile): AttachedFeature<Modes> {
  const service = new ManagerModes({ ...core, file, dataPlane: core.use(dataPlane), presets: core.use(presets) });
  return {
    service,
    ...modesExtension(service),
    handlesFailure: (name) => service.handlesFailure(name),
    begin: () => service.begin(),
    stepped: (kind, name) => {
      if (kind === "process") service.stepped(name);
    },
    reconfigured: () => service.reconfigured(),
    ending: () => service.close(),
    close: () => service.close(),
  };
}

export function modesExtension(service: Modes): FeatureExtension {
  return {
    transport: {
      handlers: modeHandlers(service),
      snapshot: ({ isFull }) => ({ modes: isFull ? service.list() : [] }),
    },
    http: { names: { mode: () => service.list().map(({ name }) => ({ name })) } },
  };
}
