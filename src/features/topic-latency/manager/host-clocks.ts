import type { HostSession } from "../../../app/hosts/host-session.ts";
import type { Clock } from "../../../base/clock.ts";
import type { ResponseOf } from "../../../contract/messages.ts";
import { type ClockMeasurement, type ClockOffset, offsetAt } from "../../flight/manager/index.ts";

/** Round trips, of which the shortest one counts. */
const ROUNDS = 4;

/** Asks a host for its threads, and measures its clock with it. `now`: time by the clock of the manager, nanoseconds. */
export async function readHost(
  session: HostSession,
  pids: readonly number[],
  { clock, now }: { clock: Pick<Clock, "monotonic">; now: () => bigint },
): Promise<{ processes: ResponseOf<"latency_threads">["processes"]; offset: ClockOffset | null }> {
  const measurements: ClockMeasurement[] = [];
  const ask = async (wanted: readonly number[]) => {
    const sent = now();
    const began = clock.monotonic();
    const answer = await session.command((id) => session.link.request("latency_threads", { session: id, pids: [...wanted] }));
    // The round trip by the monotonic clock: the other one may have been set meanwhile.
    const received = sent + BigInt(Math.ceil((clock.monotonic() - began) * 1e6));
    measurements.push({ sent, received, host: BigInt(answer.time) });
    return answer.processes;
  };
  for (let round = 1; round < ROUNDS; round++) await ask([]);
  const processes = await ask(pids);
  return { processes, offset: offsetAt(measurements, now()) };
}

/** How far the clock of one host is ahead of another one; null: one of them is not known. The uncertainties add up. */
export function offsetBetween(host: ClockOffset | null, other: ClockOffset | null): ClockOffset | null {
  if (host === null || other === null) return null;
  return { offset: host.offset - other.offset, uncertainty: host.uncertainty + other.uncertainty };
}
