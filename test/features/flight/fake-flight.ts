import { MgrError } from "../../../src/base/errors.ts";
import type { Flight, FlightHosts, KeepRequest } from "../../../src/features/flight/manager/flight.ts";
import type { IncidentOutput } from "../../../src/features/flight/manager/incident-output.ts";
import { flightExtension } from "../../../src/features/flight/manager/index.ts";
import type { HostClock, Incident } from "../../../src/features/flight/wire.ts";

/** Incidents that a test sets; `files` are by id. */
export class FakeFlight implements Flight {
  readonly extension = flightExtension(this);
  readonly isEnabled = true;
  incidents: Incident[] = [];
  readonly calls: unknown[][] = [];
  readonly files = new Map<string, Buffer>();

  list(): Incident[] {
    return this.incidents;
  }

  async hosts(): Promise<FlightHosts> {
    return { hosts: [], away: [] };
  }

  clocks(): HostClock[] {
    return [];
  }

  async keep(request: KeepRequest, by: string): Promise<string> {
    this.calls.push(["keep", request, by]);
    return "20260101-000000-manager-0";
  }

  async pin(id: string, isPinned: boolean, by: string): Promise<void> {
    this.calls.push(["pin", id, isPinned, by]);
  }

  async delete(id: string, by: string): Promise<void> {
    if (!this.incidents.some((incident) => incident.id === id)) throw new MgrError("not_found", `there is no incident '${id}'`);
    this.calls.push(["delete", id, by]);
  }

  async output(id: string, process: string, until: number | null): Promise<IncidentOutput> {
    this.calls.push(["output", id, process, until]);
    return { text: `output of ${process}`, is_cut: false };
  }

  async open(id: string) {
    const bytes = this.files.get(id);
    if (bytes === undefined) throw new MgrError("not_found", `there is no incident '${id}'`);
    return { size: bytes.length, read: async (from: number, max: number) => bytes.subarray(from, from + max) };
  }
}
