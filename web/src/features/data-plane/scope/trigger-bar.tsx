import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Trace, titleOfTrace } from "../plot/traces.ts";
import type { SweepState } from "./sweep.ts";
import { TRIGGER_KINDS, TRIGGER_MODES, type Trigger, type TriggerKind, type TriggerMode } from "./trigger.ts";

export const USUAL_TRIGGER = { kind: "rising", level: 0, mode: "auto", before: 0.2 } as const satisfies Omit<Trigger, "trace">;

const KIND_WORDS: Record<TriggerKind, string> = {
  rising: "Rising edge",
  falling: "Falling edge",
  above: "Above level",
  below: "Below level",
};
const MODE_WORDS: Record<TriggerMode, string> = { auto: "Auto", normal: "Normal", single: "Single" };
/** Steps of the share before the trigger, percent. */
const SHARE_STEP = 5;

interface Props {
  readonly trigger: Trigger;
  readonly traces: readonly Trace[];
  readonly onChange: (changed: Partial<Trigger>) => void;
  /** The status. */
  readonly children: ComponentChildren;
}

/** The settings of the trigger. */
export function TriggerBar({ trigger, traces, onChange: change, children }: Props) {
  const { trace, kind, level, mode, before } = trigger;
  return (
    <fieldset class="plot-bar plot-trigger">
      <legend class="unseen">Trigger</legend>
      <select
        aria-label="Trigger on"
        value={titleOfTrace(trace)}
        onChange={(event) => {
          const found = traces.find((one) => titleOfTrace(one) === event.currentTarget.value);
          if (found !== undefined) change({ trace: found });
        }}
      >
        {traces.map((one) => (
          <option key={titleOfTrace(one)}>{titleOfTrace(one)}</option>
        ))}
      </select>
      <select aria-label="Trigger condition" value={kind} onChange={(event) => change({ kind: event.currentTarget.value as TriggerKind })}>
        {TRIGGER_KINDS.map((one) => (
          <option key={one} value={one}>
            {KIND_WORDS[one]}
          </option>
        ))}
      </select>
      <LevelInput level={level} onChange={(changed) => change({ level: changed })} />
      <label>
        Before
        <input
          type="range"
          min={0}
          max={100}
          step={SHARE_STEP}
          aria-label="Share of the window before the trigger"
          aria-valuetext={`${Math.round(before * 100)} %`}
          value={Math.round(before * 100)}
          onInput={(event) => change({ before: event.currentTarget.valueAsNumber / 100 })}
        />
        <span class="soft share">{Math.round(before * 100)} %</span>
      </label>
      <select aria-label="Trigger mode" value={mode} onChange={(event) => change({ mode: event.currentTarget.value as TriggerMode })}>
        {TRIGGER_MODES.map((one) => (
          <option key={one} value={one}>
            {MODE_WORDS[one]}
          </option>
        ))}
      </select>
      {children}
    </fieldset>
  );
}

/** Keeps what is being typed while the bar is drawn anew. */
function LevelInput({ level, onChange }: { level: number; onChange: (level: number) => void }) {
  const [text, setText] = useState(String(level));
  useEffect(() => {
    if (text === "" || Number(text) !== level) setText(String(level));
  }, [level]);
  return (
    <label>
      Level
      <input
        type="number"
        step="any"
        value={text}
        onInput={({ currentTarget: { value, valueAsNumber } }) => {
          setText(value);
          if (Number.isFinite(valueAsNumber)) onChange(valueAsNumber);
        }}
      />
    </label>
  );
}

const STATE_WORDS: Record<SweepState | "paused", string> = {
  waiting: "Waiting for the trigger",
  triggered: "Triggered",
  free: "No trigger, scrolling",
  captured: "Captured. Resume waits for the next one.",
  paused: "Paused",
};

/** The state of the trigger; read out when it changes. */
export function SweepStatus({ state }: { state: SweepState | "paused" }) {
  return (
    <span class="soft plot-status" role="status">
      {STATE_WORDS[state]}
    </span>
  );
}
