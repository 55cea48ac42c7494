import { useEffect, useRef, useState } from "preact/hooks";
import { clockText } from "../../../../src/features/replay/player/clock-text.ts";
import type { FrameOf } from "../../../../src/protocol/frames/frames.ts";
import { refusalOf } from "../../state/access.ts";
import { command } from "../../state/store.ts";
import { Button } from "../../ui/button.tsx";
import { IconButton } from "../../ui/marks/icons.tsx";
import { nextRate, positionAfter } from "./play-keys.ts";
import { positionOf, type ShownPlayback, seek } from "./playbacks-store.ts";

/** Interval at which the position is drawn while it plays, milliseconds. */
const DRAW_MS = 100;
const MAX_SHOWN_TOPICS = 4;

type Control = Omit<FrameOf<"control_playback">, "type" | "request_id" | "playback">;

interface Props {
  readonly shown: ShownPlayback;
  /** Whether its slider gets the focus: the user has just started it. */
  readonly hasFocus: boolean;
}

/** Shows and controls one play. */
export function Player({ shown, hasFocus }: Props) {
  const { id, recording, state, length, rate, loop, host_ready } = shown.playback;
  const slider = useRef<HTMLInputElement>(null);
  const [, drawAgain] = useState({});
  /** Where the slider is held. */
  const [held, setHeld] = useState<number | null>(null);
  const isPlaying = state === "playing" && host_ready;
  useEffect(() => {
    if (hasFocus) slider.current?.focus();
  }, [hasFocus]);
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setInterval(() => drawAgain({}), DRAW_MS);
    return () => clearInterval(timer);
  }, [isPlaying]);
  const position = held ?? positionOf(shown);
  const forbidden = refusalOf({ type: "control_playback" }, "Playing");
  const canControl = forbidden === null && host_ready;
  const send = (control: Control) => void command({ type: "control_playback", playback: id, ...control });
  const toggle = () => send({ action: state === "paused" ? "resume" : "pause" });
  const setRate = (isFaster: boolean) => {
    const wanted = nextRate(rate, isFaster);
    if (wanted !== rate) send({ action: "rate", rate: wanted });
  };
  const pressed = (key: string, target: EventTarget | null): boolean => {
    const after = positionAfter(key, position, length);
    if (after !== null) void seek(shown, after);
    // A button with the focus is pressed by this key.
    else if (key === " " && !(target instanceof HTMLButtonElement)) toggle();
    else if (key === "s") send({ action: "step" });
    else if (key === "l") send({ action: "loop", loop: !loop });
    else if (key === "+" || key === "=" || key === "-") setRate(key !== "-");
    else return false;
    return true;
  };
  const button = { enabled: host_ready, needsManager: true, forbidden };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <div
      class="player takes-keys"
      role="group"
      aria-label={`Player of ${recording}`}
      onKeyDown={(event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || !canControl || !pressed(event.key, event.target)) return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <div class="player-row">
        <IconButton
          icon={state === "paused" ? "start" : "pause"}
          label={state === "paused" ? "Resume  Space" : "Pause  Space"}
          onClick={toggle}
          {...button}
        />
        <IconButton icon="next" label="Step  S" onClick={() => send({ action: "step" })} {...button} />
        <IconButton icon="reload" label="Loop  L" pressed={loop} onClick={() => send({ action: "loop", loop: !loop })} {...button} />
        <IconButton icon="stop" label="Stop the play" word="Stop" onClick={() => send({ action: "stop" })} {...button} />
        <span class="player-rate">
          <Button label="Slower  -" title="Slower  -" onClick={() => setRate(false)} {...button}>
            −
          </Button>
          <output aria-label="Rate">×{rate}</output>
          <Button label="Faster  +" title="Faster  +" onClick={() => setRate(true)} {...button}>
            +
          </Button>
        </span>
      </div>
      <div class="player-row">
        <input
          ref={slider}
          type="range"
          aria-label="Position"
          aria-valuetext={`${timeText(position)} of ${timeText(length)}`}
          min="0"
          max={length}
          step="any"
          disabled={!canControl}
          value={position}
          onInput={(event) => setHeld(Number(event.currentTarget.value))}
          onChange={(event) => {
            setHeld(null);
            void seek(shown, Number(event.currentTarget.value));
          }}
        />
        <span class="player-time">
          {timeText(position)} / {timeText(length)}
        </span>
      </div>
      <Facts shown={shown} />
    </div>
  );
}

function Facts({ shown: { playback } }: Pick<Props, "shown">) {
  const { host, host_ready, user, published, late, topics, topic_count, notes } = playback;
  const more = topic_count - Math.min(topics.length, MAX_SHOWN_TOPICS);
  const names = topics.slice(0, MAX_SHOWN_TOPICS).join(", ");
  const figures = [
    `${published.toLocaleString("en-US")} messages`,
    ...(late >= 0.001 ? [`${timeText(late)} late`] : []),
    `played by ${user} on ${host}`,
  ];
  return (
    <>
      <p class="soft">{figures.join(" · ")}</p>
      <p class="player-topics">
        {names}
        {more > 0 && ` and ${more} more`}
      </p>
      {!host_ready && <p class="warn">{`The daemon of ${host} is not connected. It plays on there.`}</p>}
      {notes.map((note) => (
        <p key={note} class="warn">
          {note}
        </p>
      ))}
    </>
  );
}

const timeText = (seconds: number): string => clockText(seconds * 1_000);
