import { clockOffsetText } from "../../../../src/client/shown/clock-offset.ts";
import { useHostClock } from "./host-clocks.ts";

/** The offset of the clock of a host, with its uncertainty. */
export function HostClock({ name }: { name: string }) {
  const clock = useHostClock(name);
  if (clock === undefined || clock.offset_ms === null) return null;
  return (
    <span class="host-remark soft" title="The clock of the host minus that of the manager">
      clock {clockOffsetText(clock)}
    </span>
  );
}
