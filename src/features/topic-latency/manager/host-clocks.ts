import type { HostSession } from "../../../app/hosts/host-session.ts";
import type { ResponseOf } from "../../../contract/messages.ts";
import type { ClockOffset } from "../../host-clocks/clock-drift.ts";
import { type ClockMeasurement, type ClockReadings, offsetAt, timed } from "../../host-clocks/manager/index.ts";

/** Round trips, of which the shortest one counts. */
const ROUNDS = 4;

/** Asks a host for its threads, and measures its clock with it. */
export async function readHost(
  session: HostSession,
  pids: readonly number[],
  readings: ClockReadings,
): Promise<{ processes: ResponseOf<"latency_threads">["processes"]; offset: ClockOffset | null }> {
  const measurements: ClockMeasurement[] = [];
  const ask = async (wanted: readonly number[]) => {
    const request = () => session.command((id) => session.link.request("latency_threads", { session: id, pids: [...wanted] }));
    const { answer, measurement } = await timed(request, readings);
    measurements.push(measurement);
    return answer.processes;
  };
  for (let round = 1; round < ROUNDS; round++) await ask([]);
  const processes = await ask(pids);
  return { processes, offset: offsetAt(measurements, readings.now()) };
}

/** Time by which the clock of one host is ahead of another one; null: one of them is not known. The uncertainties add up. */
export function offsetBetween(host: ClockOffset | null, other: ClockOffset | null): ClockOffset | null {
  if (host === null || other === null) return null;
  return { offset: host.offset - other.offset, uncertainty: host.uncertainty + other.uncertainty };
}
