import type { ConfigurationChange } from "../actors/control.ts";
import type { DomainEvents } from "../actors/domain-events.ts";
import type { ActorKind, ActorSystem } from "../actors/system.ts";
import type { Principal } from "../base/access/principal.ts";
import type { EndOfCommand } from "../base/command-observer.ts";
import type { Clock } from "../base/timing/clock.ts";
import type { PeerTrafficBook } from "../bus/carriers/peer-traffic.ts";
import type { Bus } from "../bus/client/bus.ts";
import type { Registry } from "../bus/registry/registry.ts";
import type { Config, ProcessDefinition } from "../config/definition.ts";
import type { RunSpec } from "../contract/run.ts";
import type { FeatureExtension } from "../http/extension.ts";
import type { LogBook } from "../log/log-book.ts";
import type { HostEntry } from "../protocol/resources/resources.ts";
import type { ManagerBus } from "./bus/manager-bus.ts";
import type { SubjectOwners } from "./bus/user-permissions.ts";
import type { Conditions } from "./conditions.ts";
import type { HostTable } from "./hosts/host-table.ts";
import type { NamedHosts } from "./hosts/named-hosts.ts";
import type { ManagerLaunch } from "./manager-options.ts";
import type { ProcessTable } from "./processes/process-table.ts";
import type { RunExtension } from "./processes/run-extension.ts";
import type { IntentKeeper } from "./state/intent-keeper.ts";
import type { StateFiles } from "./state/state-files.ts";

/** An optional part of the manager (docs/architecture.md). It is attached to an engine, before the first actor starts. */
export interface ManagerFeature<Service = unknown> {
  readonly name: string;
  /** Opens the feature's files in the state folder; resolves with the function that attaches it. */
  readonly open?: (folder: FeatureFolder) => Promise<Attach<Service>>;
  /** Attaches the feature without a state folder: its data is lost when the manager ends. */
  readonly attach: Attach<Service>;
}

type Attach<Service> = (core: ManagerCore) => AttachedFeature<Service>;

/** The state folder of a manager, for features. */
export interface FeatureFolder {
  readonly files: StateFiles;
  /** The folder of the manager's sockets, created again if it was removed; null: this manager has none. */
  readonly sockets: (() => string) | null;
  readonly warn: (msg: string) => void;
}

/** The interface of the manager for features. */
export interface ManagerCore {
  readonly clock: Clock;
  readonly log: LogBook;
  readonly system: ActorSystem;
  readonly events: DomainEvents;
  /** Problems that last. */
  readonly conditions: Conditions;
  /** The present configuration. */
  readonly config: () => Config;
  /** Canonical name of the manager's own host. */
  readonly hostName: string;
  readonly hosts: HostTable;
  readonly hostEntries: () => HostEntry[];
  /** Hosts by any of their names. */
  readonly named: NamedHosts;
  readonly processes: ProcessTable;
  /** Whether the manager ends: commands are refused, and processes are stopped without a request of a user. */
  readonly isShuttingDown: () => boolean;
  /** Publishes a process whose resource has changed although its actor took no step. */
  readonly processChanged: (name: string) => void;
  /** The host on which a process would be started now, and the spec that the host would get. Throws `not_found`. */
  readonly nextRun: (name: string) => { readonly host: string; readonly spec: RunSpec };
  readonly startProcess: (name: string, by: string) => void | Promise<void>;
  /** Stops a process as a user does, with those that stop with it. Rejects, or throws, as the command is refused. */
  readonly stopProcess: (name: string, by: string) => void | Promise<void>;
  /** Restarts a process as a user does, with those that restart with it; one that does not run is started. Rejects, or throws, in the same way. */
  readonly restartProcess: (name: string, by: string) => void | Promise<void>;
  /**
   * Shows the observers of commands one that is no frame or HTTP request of a client. Resolves with the function to call with its outcome; rejects with the
   * reason if they refuse it.
   */
  readonly observe: (command: OwnCommand) => Promise<EndOfCommand>;
  /**
   * Puts another configuration into effect that `make` derives from the present one, after the reloads that were requested before. Rejects as `make`
   * does, or as a reload does.
   */
  readonly reconfigure: (make: (present: Config) => Config) => Promise<ConfigurationChange>;
  /** Adds a process that is in no configuration file, or replaces its definition. */
  readonly addProcess: (definition: ProcessDefinition) => void;
  readonly intents: IntentKeeper;
  readonly bus: BusAccess;
  /** How this manager is started again; null: a user, a program or another supervisor has it in the foreground. */
  readonly launch: ManagerLaunch | null;
  /** The service of another feature, which must be attached earlier. */
  readonly use: <Service>(feature: ManagerFeature<Service>) => Service;
}

/** A command that is no frame or HTTP request: of the owner of the manager, or of a feature. */
export interface OwnCommand {
  /** As `ObservedCommand.name`. */
  readonly name: string;
  readonly by: string;
  /** The user who gave it, if it came from a client; omitted: it is the manager's own. */
  readonly sender?: Principal;
  /** Name of the process or other object that it is about; none by default. */
  readonly target?: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

/** The bus as features use it. Parts that the manager does not have are null. */
export interface BusAccess {
  /** The manager's connection to the server that programs use. */
  readonly shared: Promise<Bus> | null;
  /** Opens a new connection with the rights of a user. */
  readonly connectUser: ((user: string) => Promise<Bus>) | null;
  /** Says to which processes the subjects of the bus belong, for users with roles on some processes. */
  readonly declareOwners: ((owners: SubjectOwners) => void) | null;
  /** Clients of the manager's own broker. */
  readonly registry: Registry | null;
  /** The manager's own broker. */
  readonly hub: Pick<ManagerBus, "broker"> | null;
  /** The manager's own connections. */
  readonly peers: Pick<PeerTrafficBook, "totals" | "addressOf"> | null;
}

/** A feature of a running engine: its functions for the manager, its clients and other features. */
export interface AttachedFeature<Service = unknown> extends FeatureExtension {
  /** The feature's interface for other features. */
  readonly service: Service;
  readonly runs?: RunExtension;
  /** Processes of earlier managers that are in no configuration file: those that run are adopted. */
  readonly processes?: () => readonly ProcessDefinition[];
  /** Called once, before the first process can start. */
  readonly begin?: () => void;
  /** Called once, when the manager serves its clients. It reports that it is up when the promise is settled, which must take seconds at most. */
  readonly started?: () => void | Promise<void>;
  /** Called once, when the manager begins to end because a user or its owner wants it. */
  readonly ending?: () => void;
  /** Called after each step of an actor. */
  readonly stepped?: (kind: ActorKind, name: string) => void;
  /** Changes a configuration that was read, before it is compared with the present one or takes effect. Has no effect beyond that, and never throws. */
  readonly adjustConfig?: (read: Config) => Config;
  /** Whether the feature acts on the failure of this essential process, so that `mgr up` in the foreground does not end. */
  readonly handlesFailure?: (name: string) => boolean;
  /** Called when another configuration has taken effect. */
  readonly reconfigured?: () => void;
  /** The manager ends when the promise is settled, which must take seconds at most. */
  readonly close?: () => void | Promise<void>;
}

/** A feature that is ready to be attached. */
export interface OpenedFeature {
  readonly feature: ManagerFeature;
  readonly attach: Attach<unknown>;
}

/** Opens the files of features in the state folder. */
export function openFeatures(features: readonly ManagerFeature[], folder: FeatureFolder): Promise<OpenedFeature[]> {
  return Promise.all(features.map(async (feature) => ({ feature, attach: (await feature.open?.(folder)) ?? feature.attach })));
}

/** The attached features of an engine, in the order of the list. */
export class AttachedFeatures {
  readonly #attached = new Map<ManagerFeature, AttachedFeature>();

  attach(opened: readonly OpenedFeature[], core: Omit<ManagerCore, "use">): void {
    const whole = { ...core, use: <Service>(feature: ManagerFeature<Service>) => this.service(feature) };
    for (const { feature, attach } of opened) this.#attached.set(feature, attach(whole));
  }

  service<Service>(feature: ManagerFeature<Service>): Service {
    const attached = this.#attached.get(feature);
    if (attached === undefined) throw new Error(`the feature '${feature.name}' has to be before those that use it in the list of features`);
    return attached.service as Service;
  }

  all(): readonly AttachedFeature[] {
    return [...this.#attached.values()];
  }

  async close(): Promise<void> {
    // A feature comes after those that it uses.
    await Promise.all(
      this.all()
        .toReversed()
        .map(({ close }) => close?.()),
    );
  }
}
