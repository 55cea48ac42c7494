import type { ManagerFeature } from "../../../app/feature.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { type HostUpgrade, upgradeHost } from "./host-upgrade.ts";
import { type ManagerUpgrade, managerUpgrade } from "./manager-upgrade.ts";
import { type ProgramVersions, programVersions } from "./program-versions.ts";

/** Replaces the programs of the manager and of its hosts by those that are installed now. */
export const upgrades: ManagerFeature<null> = {
  name: "upgrades",
  attach: (core) => ({
    service: null,
    ...upgradesExtension({
      host: (request) => upgradeHost(core, request),
      manager: managerUpgrade(core),
      versions: () => programVersions(core.launch),
    }),
  }),
};

interface Upgrades {
  readonly host: (request: HostUpgrade) => Promise<{ from: string | null; to: string | null }>;
  readonly manager: ManagerUpgrade;
  readonly versions: () => Promise<ProgramVersions>;
}

export function upgradesExtension({ host: upgrade, manager, versions }: Upgrades): FeatureExtension {
  return {
    transport: {
      handlers: {
        upgrade_host: {
          kind: "request",
          answer: async ({ host, program = null, node = null }) => [
            { type: "host_upgraded", ok: true, host, ...(await upgrade({ host, program, node })) },
          ],
        },
        request_versions: { kind: "request", answer: async () => [{ type: "versions", ok: true, ...(await versions()) }] },
        upgrade_manager: { kind: "request", answer: async () => [{ type: "manager_upgraded", ok: true, ...(await manager()) }] },
      },
    },
  };
}
