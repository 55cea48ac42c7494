import { useMemo, useRef, useState } from "preact/hooks";
import { PlotFrame, type Scale, type SharedAxis, toggled, useUnits } from "../data-plane/plot/public.ts";
import type { Trace } from "../data-plane/plot/public-samples.ts";
import type { RecordedFile } from "../recordings/file/public-file.ts";
import { FileTopics, fileSource } from "../recordings/file/public-plot.ts";
import { type Cause, TimeLines } from "./timeline/time-lines.tsx";
import type { TimeAxis } from "./timeline/use-axis.ts";

interface Props {
  readonly id: string;
  readonly file: RecordedFile;
  readonly axis: TimeAxis;
  readonly causes: readonly Cause[];
  readonly traces: readonly Trace[];
  readonly onTraces: (traces: readonly Trace[]) => void;
}

/** Fields of topics, plotted on the time axis of the incident. */
export function TopicPlot({ id, file, axis, causes, traces, onTraces }: Props) {
  const [scale, setScale] = useState<Scale>("auto");
  const [progress, setProgress] = useState(1);
  const [source] = useState(() => fileSource(file, setProgress));
  const [beginsOpen] = useState(traces.length === 0);
  const section = useRef<HTMLElement>(null);
  const unitOf = useUnits(traces);
  const shared = useMemo(
    (): SharedAxis => ({ ...axis, left: () => widthOfNames(section.current), zoomed: axis.show, picked: axis.move }),
    [axis],
  );
  const toggle = (trace: Trace) => onTraces(toggled(traces, trace));
  return (
    <section class="incident-plot" aria-label="Plots" ref={section}>
      {traces.length > 0 && (
        <PlotFrame
          traces={traces}
          source={source}
          paused={false}
          onZoom={() => undefined}
          onRemove={toggle}
          scale={scale}
          onScale={setScale}
          unitOf={unitOf}
          fileName={id}
          axis={shared}
          over={<TimeLines causes={causes} axis={axis} />}
          tools={
            <span class="soft" role="status">
              {progress < 1 ? `Reading, ${Math.floor(progress * 100)} %` : ""}
            </span>
          }
          note="Turn the wheel, drag, or spread two fingers to zoom, a click moves the cursor; keys are those of the time axis. Values are those at the cursor, or under the pointer."
        />
      )}
      <details open={beginsOpen}>
        <summary>Plot fields of topics</summary>
        <FileTopics file={file} traces={traces} onToggle={toggle} />
      </details>
    </section>
  );
}

/** The width before the time axis, as the rows of the timeline have it (flight.css), px. */
function widthOfNames(section: HTMLElement | null): number {
  if (section === null) return 0;
  const style = getComputedStyle(section);
  return Number.parseFloat(style.getPropertyValue("--names")) + Number.parseFloat(style.getPropertyValue("--gap"));
}
