import type { AttachedFeature, ManagerCore, ManagerFeature } from "../../../app/feature.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { aboutProcess, type HandlerTable } from "../../../transport/handlers/handler.ts";
import type { replicaCommands } from "../wire.ts";
import { ManagerReplicas } from "./manager-replicas.ts";
import type { Replicas } from "./replicas.ts";
import { type CountsFile, noCountsFile, openCountsFile } from "./saved-counts.ts";

/** Runs processes several times, as often as the configuration or a user says. */
export const replicas: ManagerFeature<Replicas> = {
  name: "replicas",
  open: async ({ files, warn }) => {
    const file = openCountsFile(files, warn);
    return (core) => attach(core, file);
  },
  attach: (core) => attach(core, noCountsFile),
};

function attach(core: ManagerCore, file: CountsFile): AttachedFeature<Replicas> {
  const service = new ManagerReplicas({ ...core, file });
  return {
    service,
    ...replicasExtension(service),
    adjustConfig: (read) => service.adjusted(read),
    begin: () => service.begin(),
    reconfigured: () => service.reconfigured(),
  };
}

export function replicasExtension(service: Replicas): FeatureExtension {
  const handlers: HandlerTable<keyof typeof replicaCommands> = {
    scale_process: {
      kind: "command",
      about: aboutProcess,
      run: ({ name, count }, { principal }) => service.scale(name, count, principal.user),
    },
  };
  return { transport: { handlers, snapshot: ({ view }) => ({ replicas: service.list(view) }) } };
}
