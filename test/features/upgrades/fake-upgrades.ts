import { upgradesExtension } from "../../../src/features/upgrades/manager/index.ts";

/** Every program is replaced at once. */
export class FakeUpgrades {
  readonly extension = upgradesExtension({
    host: async () => ({ from: "1.0.0", to: "1.1.0" }),
    versions: async () => ({ running: "1.0.0", installed: "1.1.0", problem: null }),
    manager: async () => ({ from: "1.0.0", to: "1.1.0", problem: null }),
  });
}
