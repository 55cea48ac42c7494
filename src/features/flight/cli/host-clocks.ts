import type { HostFigures } from "../../../cli/command/feature.ts";
import type { HostClock } from "../wire.ts";

/** The offset of the clock of each host, with its uncertainty; null: the flight recorder, which measures them, is not configured. */
export function clockFigures(clocks: readonly HostClock[]): HostFigures | null {
  if (clocks.length === 0) return null;
  const of = (name: string) => clocks.find(({ host }) => host === name) ?? { offset_ms: null, uncertainty_ms: null };
  return {
    columns: [{ title: "OFFSET", text: ({ name }) => clockText(of(name)), right: true }],
    json: ({ name }) => {
      const { offset_ms, uncertainty_ms } = of(name);
      return { offset_ms, uncertainty_ms };
    },
  };
}

/** `+1300.021 ms ± 0.412`; `-`: it was not measured. */
function clockText({ offset_ms, uncertainty_ms }: Omit<HostClock, "host">): string {
  if (offset_ms === null || uncertainty_ms === null) return "-";
  return `${offset_ms < 0 ? "" : "+"}${offset_ms.toFixed(3)} ms ± ${uncertainty_ms.toFixed(3)}`;
}
