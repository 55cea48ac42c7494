import { Publisher } from "../base/publisher.ts";
import type { Client, DaemonLogger, HostEntry, ManagerInfo, Process, Recording, Service, Topic } from "../protocol/resources/resources.ts";

/** A change of the manager's state, as resources. The event streams turn these into frames. */
export type DomainEvent =
  | { type: "process_upsert"; process: Process }
  | { type: "process_remove"; name: string }
  /** A process took a step that its resource does not show. Dependencies and waits are checked again. */
  | { type: "process_step"; name: string }
  /** The shape of the tree changed: processes or groups were added or removed. */
  | { type: "tree_changed" }
  | { type: "host_upsert"; host: HostEntry }
  | { type: "host_remove"; name: string }
  | { type: "client_upsert"; client: Client }
  | { type: "client_remove"; id: number }
  | { type: "topic_upsert"; topic: Topic }
  | { type: "topic_remove"; name: string }
  | { type: "service_upsert"; service: Service }
  | { type: "service_remove"; name: string }
  | { type: "recording_upsert"; recording: Recording }
  | { type: "recording_remove"; name: string }
  | { type: "logger_upsert"; logger: DaemonLogger }
  | { type: "logger_remove"; name: string }
  | { type: "manager_upsert"; manager: ManagerInfo };

export class DomainEvents extends Publisher<DomainEvent> {}
