import { GroupHandle } from "./handles/group-handle.ts";
import { HostHandle } from "./handles/host-handle.ts";
import { ProcessHandle } from "./handles/process-handle.ts";
import { ManagerConnection } from "./manager-connection.ts";

/** A manager as a program sees it: a connection, and handles of its processes, groups and hosts. */
export class ManagerClient extends ManagerConnection {
  /** A handle of one process. Its promises reject with `not_found` if the name is unknown. */
  process(name: string): ProcessHandle {
    return new ProcessHandle(this, name);
  }

  /** A handle of a group and all processes below it. */
  group(name: string): GroupHandle {
    return new GroupHandle(this, name);
  }

  /** A handle of a host, by any of its names. */
  host(name: string): HostHandle {
    return new HostHandle(this, name);
  }
}
