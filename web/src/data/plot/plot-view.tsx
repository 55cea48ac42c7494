import { useState } from "preact/hooks";
import { linkTo } from "../../app/navigation.ts";
import { Button } from "../../ui/button.tsx";
import { liveSource } from "./live-source.ts";
import { PlotFrame } from "./plot-frame.tsx";
import { plotted, togglePlotted } from "./plotted.ts";

const WINDOWS: readonly (readonly [number, string])[] = [
  [5, "5 s"],
  [10, "10 s"],
  [30, "30 s"],
  [60, "1 min"],
  [300, "5 min"],
];

/** Live traces of numeric fields of any topics. */
export function PlotView() {
  const traces = plotted.value;
  const [seconds, setSeconds] = useState(10);
  const [paused, setPaused] = useState(false);
  if (traces.length === 0)
    return (
      <p class="empty nothing">
        Nothing is plotted. Select a <a {...linkTo({ kind: "topics" })}>topic</a> and add its fields.
      </p>
    );
  return (
    <PlotFrame
      traces={traces}
      source={liveSource(seconds)}
      paused={paused}
      onZoom={() => setPaused(true)}
      onRemove={togglePlotted}
      csvName="plot.csv"
      tools={
        <>
          <select aria-label="Length of the window" value={seconds} onChange={(event) => setSeconds(Number(event.currentTarget.value))}>
            {WINDOWS.map(([value, word]) => (
              <option key={value} value={value}>
                {word}
              </option>
            ))}
          </select>
          <Button pressed={paused} onClick={() => setPaused(!paused)}>
            {paused ? "Resume" : "Pause"}
          </Button>
        </>
      }
      note="Drag, press + at the pointer, or spread two fingers to zoom, which pauses; one finger moves. Double-click or press − for the whole window. Arrow keys move the pointer."
    />
  );
}
