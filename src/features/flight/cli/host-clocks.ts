import type { HostFigures } from "../../../cli/command/feature.ts";
import { clockOffsetText } from "../../../client/shown/clock-offset.ts";
import type { HostClock } from "../wire.ts";

/** The offset of the clock of each host, with its uncertainty; null: the flight recorder, which measures them, is not configured. */
export function clockFigures(clocks: readonly HostClock[]): HostFigures | null {
  if (clocks.length === 0) return null;
  const of = (name: string) => clocks.find(({ host }) => host === name) ?? { offset_ms: null, uncertainty_ms: null };
  return {
    columns: [{ title: "OFFSET", text: ({ name }) => clockOffsetText(of(name)), right: true }],
    json: ({ name }) => {
      const { offset_ms, uncertainty_ms } = of(name);
      return { offset_ms, uncertainty_ms };
    },
  };
}
