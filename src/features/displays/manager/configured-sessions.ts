import type { Duplex } from "node:stream";
import type { HostRequests } from "../../../actors/control.ts";
import type { ProcessTable } from "../../../app/processes/process-table.ts";
import { MgrError } from "../../../base/errors.ts";
import type { Process, VncSession } from "../../../protocol/resources/resources.ts";
import type { VncInfo } from "./displays.ts";

/** VNC servers of the configuration: processes with `vnc`. Only these targets can be reached. */
export class ConfiguredSessions {
  readonly #processTable: ProcessTable;
  readonly #hostRequests: Pick<HostRequests, "openTcp">;

  constructor(processTable: ProcessTable, hostRequests: Pick<HostRequests, "openTcp">) {
    this.#processTable = processTable;
    this.#hostRequests = hostRequests;
  }

  all(): VncSession[] {
    return [...this.#processTable.config.processes.values()].flatMap(({ name, node, vnc }): VncSession[] => {
      if (vnc === null) return [];
      return [
        { kind: "configured", session_id: name, session_name: name, node, vnc_port: vnc.port, vnc_display: vnc.display, process: name },
      ];
    });
  }

  info(session: string): VncInfo {
    const { process, vnc } = this.#running(session);
    return {
      kind: "configured",
      display_name: `:${vnc.display}`,
      process: session,
      process_state: process.state,
      node: process.node,
      host: process.host,
      vnc_port: vnc.port,
      vnc_display: vnc.display,
      ready: process.state === (process.has_ready_state ? "ready" : "started"),
      websocket_path: `/mgr/vnc/ws?session=${encodeURIComponent(session)}`,
    };
  }

  open(session: string): Promise<Duplex> {
    const { process, vnc } = this.#running(session);
    return this.#hostRequests.openTcp(process.host, { host: "localhost", port: vnc.port });
  }

  #running(session: string): { process: Process; vnc: { display: number; port: number } } {
    const vnc = this.#processTable.config.processes.get(session)?.vnc;
    const process = this.#processTable.process(session);
    if (!vnc || !process) throw new MgrError("not_found", `there is no VNC session '${session}': no process of this name has 'vnc'`);
    if (process.pid === null) throw new MgrError("not_running", `process '${session}' does not run: start it to see its display`);
    if (!process.host_ready)
      throw new MgrError(
        "host_unavailable",
        `the daemon of host '${process.host}' cannot be reached; try again when it is connected (\`mgr hosts\`)`,
      );
    return { process, vnc };
  }
}
