import { useState } from "preact/hooks";
import { linkTo } from "../../../state/navigation.ts";
import { Button } from "../../../ui/button.tsx";
import { useUnits } from "./definitions.ts";
import { liveSource } from "./live-source.ts";
import { WINDOWS } from "./plot-address.ts";
import { PlotFrame } from "./plot-frame.tsx";
import { plotted, scale, togglePlotted, windowSeconds } from "./plotted.ts";

const wordOf = (seconds: number) => (seconds < 60 ? `${seconds} s` : `${seconds / 60} min`);

/** A live plot of numeric fields of any topics. */
export function PlotView() {
  const traces = plotted.value;
  const [paused, setPaused] = useState(false);
  const unitOf = useUnits(traces);
  if (traces.length === 0)
    return (
      <p class="empty nothing">
        Nothing is plotted. Select a <a {...linkTo({ kind: "topics" })}>topic</a> and add its fields.
      </p>
    );
  return (
    <PlotFrame
      traces={traces}
      source={liveSource(windowSeconds.value)}
      paused={paused}
      onZoom={() => setPaused(true)}
      onRemove={togglePlotted}
      scale={scale.value}
      onScale={(wanted) => {
        scale.value = wanted;
      }}
      unitOf={unitOf}
      csvName="plot.csv"
      tools={
        <>
          <select
            aria-label="Length of the window"
            value={windowSeconds.value}
            onChange={(event) => {
              windowSeconds.value = Number(event.currentTarget.value);
            }}
          >
            {WINDOWS.map((seconds) => (
              <option key={seconds} value={seconds}>
                {wordOf(seconds)}
              </option>
            ))}
          </select>
          <Button pressed={paused} onClick={() => setPaused(!paused)}>
            {paused ? "Resume" : "Pause"}
          </Button>
        </>
      }
      note="Turn the wheel, drag, press + at the pointer, or spread two fingers to zoom, which pauses; Shift and the wheel, or one finger, moves. Double-click or press − for the whole window. The address is a link to this plot."
    />
  );
}
