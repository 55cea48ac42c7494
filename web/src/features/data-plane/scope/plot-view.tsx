import { useMemo, useRef, useState } from "preact/hooks";
import { linkTo } from "../../../state/navigation.ts";
import { Button } from "../../../ui/button.tsx";
import { useUnits } from "../plot/definitions.ts";
import { PlotFrame } from "../plot/plot-frame.tsx";
import type { Trace } from "../plot/traces.ts";
import { DeriveDialog } from "./derive-dialog.tsx";
import { traceOfDerived, unitOfDerived } from "./derived.ts";
import { liveSource } from "./live-source.ts";
import { WINDOWS } from "./plot-address.ts";
import { plot, plotted, setPlot, togglePlotted } from "./plotted.ts";
import { SavedPlotsDialog } from "./saved-plots-dialog.tsx";
import { Sweep, type SweepState } from "./sweep.ts";
import type { Trigger } from "./trigger.ts";
import { SweepStatus, TriggerBar, USUAL_TRIGGER } from "./trigger-bar.tsx";

function wordOf(seconds: number): string {
  if (seconds < 1) return `${seconds * 1_000} ms`;
  return seconds < 60 ? `${seconds} s` : `${seconds / 60} min`;
}

/** A live plot of numeric fields of any topics, and of series that are derived from them. */
export function PlotView() {
  const { traces: fields, derived, seconds, scale, trigger } = plot.value;
  const traces = plotted.value;
  const [opened, setOpened] = useState<"derive" | "saved" | null>(null);
  const [paused, setPaused] = useState(false);
  const [state, setState] = useState<SweepState>("waiting");
  const seen = useRef<SweepState>("waiting");
  const sweep = useMemo(() => trigger && new Sweep(trigger, seconds), [JSON.stringify(trigger), seconds]);
  const unitOfField = useUnits([...fields, ...derived.flatMap(({ inputs }) => inputs)]);
  const unitOf = (trace: Trace) => {
    const own = derived.find((one) => traceOfDerived(one).topic === trace.topic && trace.field === "");
    return own === undefined ? unitOfField(trace) : unitOfDerived(own, unitOfField);
  };
  const live = liveSource({ traces: fields, derived, seconds, sweep });
  const source: typeof live = {
    ...live,
    span: (samples) => {
      const span = live.span(samples);
      if (sweep !== null && sweep.state !== seen.current) {
        seen.current = sweep.state;
        setState(sweep.state);
        // The captured window is drawn first.
        if (sweep.state === "captured") setTimeout(() => setPaused(true));
      }
      return span;
    },
  };
  const resume = () => {
    if (sweep?.state === "captured") sweep.arm();
    setPaused(false);
  };
  const setTrigger = (changed: Trigger | null) => {
    setPlot({ trigger: changed });
    setPaused(false);
  };
  const changeTrigger = (changed: Partial<Trigger>) => {
    // The newest one: it may have changed since it was drawn.
    const known = plot.peek().trigger;
    if (known !== null) setTrigger({ ...known, ...changed });
  };
  const dialogs = (
    <>
      {opened === "derive" && <DeriveDialog traces={fields} onClose={() => setOpened(null)} />}
      {opened === "saved" && <SavedPlotsDialog onClose={() => setOpened(null)} />}
    </>
  );
  if (traces.length === 0)
    return (
      <div class="empty nothing">
        <p>
          Nothing is plotted. Select a <a {...linkTo({ kind: "topics" })}>topic</a> and add its fields.
        </p>
        <Button onClick={() => setOpened("saved")}>Saved plots…</Button>
        {dialogs}
      </div>
    );
  return (
    <>
      <PlotFrame
        traces={traces}
        source={source}
        paused={paused}
        onZoom={() => setPaused(true)}
        onRemove={togglePlotted}
        scale={scale}
        onScale={(wanted) => setPlot({ scale: wanted })}
        unitOf={unitOf}
        fileName="plot"
        marks={() => (sweep === null || sweep.at === null ? [] : [{ time: sweep.at, text: "T" }])}
        tools={
          <>
            <select
              aria-label="Length of the window"
              value={seconds}
              onChange={(event) => setPlot({ seconds: Number(event.currentTarget.value) })}
            >
              {WINDOWS.map((length) => (
                <option key={length} value={length}>
                  {wordOf(length)}
                </option>
              ))}
            </select>
            <Button pressed={paused} onClick={() => (paused ? resume() : setPaused(true))}>
              {paused ? "Resume" : "Pause"}
            </Button>
            <Button
              pressed={trigger !== null}
              onClick={() => {
                const [first] = traces;
                setTrigger(trigger === null && first ? { ...USUAL_TRIGGER, trace: first } : null);
              }}
            >
              Trigger
            </Button>
            <Button onClick={() => setOpened("derive")}>Derive…</Button>
            <Button onClick={() => setOpened("saved")}>Saved plots…</Button>
          </>
        }
        settings={
          trigger && (
            <TriggerBar trigger={trigger} traces={traces} onChange={changeTrigger}>
              <SweepStatus state={paused && state !== "captured" ? "paused" : state} />
            </TriggerBar>
          )
        }
        note="Turn the wheel, drag, press + at the pointer, or spread two fingers to zoom, which pauses; Shift and the wheel, or one finger, moves. Double-click or press − for the whole window. The address is a link to this plot."
      />
      {dialogs}
    </>
  );
}
