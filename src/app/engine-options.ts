import type { InspectionEvent } from "xstate";
import type { Clock } from "../base/clock.ts";
import type { PeerTrafficBook } from "../bus/carriers/peer-traffic.ts";
import type { Bus } from "../bus/client/bus.ts";
import type { Registry } from "../bus/registry/registry.ts";
import type { Config } from "../config/definition.ts";
import type { HostLink } from "../contract/host-link.ts";
import type { ClientIds } from "../features/data-plane/manager/client-ids.ts";
import type { DisplayRecords } from "../features/displays/manager/display-records.ts";
import type { LoggerFile } from "../features/loggers/manager/logger-book.ts";
import type { SamplerOptions } from "../features/network-statistics/manager/sampler.ts";
import type { LogBook } from "../log/log-book.ts";
import type { BusTokens } from "./bus/bus-tokens.ts";
import type { ConfigHistory } from "./configuration/config-history.ts";
import type { LoadConfig } from "./configuration/configuration.ts";
import type { OnProcessAtRest } from "./processes/process-event-router.ts";
import type { RunHistory } from "./processes/run-history.ts";
import type { IntentKeeper } from "./state/intent-keeper.ts";

export type HostTokens = Pick<BusTokens, "changed" | "renew">;

export interface EngineOptions {
  config: Config;
  clock: Clock;
  log: LogBook;
  intents: IntentKeeper;
  /** The requested state was lost: running processes are taken as requested. Default false. */
  isIntentLost?: boolean;
  /** Epoch of this boot, higher than that of every earlier manager. */
  epoch: number;
  /** The manager's own host, by its canonical name. */
  link: HostLink;
  onProcessAtRest?: OnProcessAtRest | undefined;
  /** Creates the link to another host of the configuration; omitted if there is no bus. */
  connectHost?: ((host: string) => HostLink) | undefined;
  /** Reads the configuration again; omitted if there is no file. */
  loadConfig?: LoadConfig | undefined;
  /** Default: in memory only. */
  history?: RunHistory | undefined;
  /** Clients of the manager's own broker; omitted if there is none. */
  clients?: Registry | undefined;
  /** The manager's own broker with them, for network statistics; omitted if there is none. */
  hub?: SamplerOptions["hub"] | undefined;
  /** The manager's own connections; omitted if it has none. */
  peers?: Pick<PeerTrafficBook, "totals" | "addressOf"> | undefined;
  /** Tokens of the daemons of other hosts; omitted if there is no bus. */
  tokens?: HostTokens | undefined;
  /** For programs on the bus; omitted if there is none. */
  bus?: Promise<Bus> | undefined;
  /** A new connection to the bus with the rights of a user. */
  connectUser?: ((user: string) => Promise<Bus>) | undefined;
  /** Default: in memory only. */
  clientIds?: ClientIds | undefined;
  /** Earlier versions of the configuration's files; by default kept in memory. */
  configHistory?: ConfigHistory | undefined;
  /** What was changed of loggers at run time; by default kept in memory. */
  loggerFile?: LoggerFile | undefined;
  /** Where downloads of loggers are written; default: among the system's temporary files. */
  downloads?: string | undefined;
  /** Private displays of web users; omitted if there is no folder for them. */
  displays?: DisplayRecords | undefined;
  inspect?: ((event: InspectionEvent) => void) | undefined;
}
