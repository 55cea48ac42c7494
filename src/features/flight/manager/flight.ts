import type { AnswerOf, FrameOf } from "../../../protocol/frames/frames.ts";
import type { RecordedFileReader } from "../../recordings/manager/index.ts";
import type { HostClock, Incident } from "../wire.ts";
import type { IncidentOutput } from "./incident-output.ts";

export type KeepRequest = Omit<FrameOf<"keep_incident">, "type" | "request_id">;
export type FlightHosts = Pick<Extract<AnswerOf<"request_flight_hosts">, { ok: true }>, "hosts" | "away">;

/** The flight recorders of all hosts, and the incidents. Rejections are MgrError `not_found`, `conflict` or `busy`, with a message that says what to do. */
export interface Flight {
  readonly isEnabled: boolean;
  /** Newest first. */
  list(limit?: number): Incident[];
  hosts(): Promise<FlightHosts>;
  /** The clocks of all hosts as measured last; none if the flight recorder is not configured. */
  clocks(): HostClock[];
  /** Resolves with the id of the incident when it has begun. */
  keep(request: KeepRequest, by: string): Promise<string>;
  pin(id: string, isPinned: boolean, by: string): Promise<void>;
  delete(id: string, by: string): Promise<void>;
  /** The last output of a process in an incident, until a time in milliseconds since 1970; null: until its end. */
  output(id: string, process: string, until: number | null): Promise<IncidentOutput>;
  /** The file of an incident. */
  open(id: string): Promise<RecordedFileReader>;
}
