import type { InspectionEvent } from "xstate";
import type { Clock } from "../base/timing/clock.ts";
import type { Config } from "../config/definition.ts";
import type { HostLink } from "../contract/host-link.ts";
import type { LogBook } from "../log/log-book.ts";
import type { BusTokens } from "./bus/bus-tokens.ts";
import type { LoadConfig } from "./configuration/configuration.ts";
import type { BusAccess, OpenedFeature } from "./feature.ts";
import type { ManagerLaunch } from "./manager-options.ts";
import type { OnProcessAtRest } from "./processes/process-event-router.ts";
import type { ConfigHistory } from "./state/config-history.ts";
import type { IntentKeeper } from "./state/intent-keeper.ts";
import type { RunHistory } from "./state/run-history.ts";

export type HostTokens = Pick<BusTokens, "changed" | "renew">;

export interface EngineOptions {
  config: Config;
  clock: Clock;
  log: LogBook;
  intents: IntentKeeper;
  /** The requested state was lost: running processes count as requested. Default false. */
  isIntentLost?: boolean;
  /** Epoch of this boot, higher than that of every earlier manager. */
  epoch: number;
  /** Link to the manager's own host, by its canonical name. */
  link: HostLink;
  onProcessAtRest?: OnProcessAtRest | undefined;
  /** Creates the link to another host of the configuration; omitted if there is no bus. */
  connectHost?: ((host: string) => HostLink) | undefined;
  /** Reads the configuration again; omitted if there is no file. */
  loadConfig?: LoadConfig | undefined;
  /** Runs of earlier managers; default: in memory only. */
  history?: RunHistory | undefined;
  /** The bus; omitted parts do not exist. */
  bus?: Partial<BusAccess> | undefined;
  /** Tokens of the daemons of other hosts; omitted if there is no bus. */
  tokens?: HostTokens | undefined;
  /** Earlier versions of the configuration's files; by default kept in memory. */
  configHistory?: ConfigHistory | undefined;
  /** Features with their saved state; default: all features, without saved state. */
  features?: readonly OpenedFeature[] | undefined;
  /** How this manager is started again, if it runs in the background. */
  launch?: ManagerLaunch | null | undefined;
  inspect?: ((event: InspectionEvent) => void) | undefined;
}
