import type { Signal } from "@preact/signals";
import { Button } from "../../ui/button.tsx";
import { IconButton } from "../../ui/marks/icons.tsx";
import { type Figure, PROCESS_FIGURES } from "./figures.ts";
import { isLive, moved, RANGES, type Span } from "./range.ts";
import { goBack, type ShownRange, showRange } from "./shown-range.ts";
import { momentText } from "./time-text.ts";

interface Props {
  readonly shown: Signal<ShownRange>;
  readonly span: Span;
  readonly extras: Signal<readonly string[]> | null;
}

/** Buttons for the range, and for charts on demand. */
export function HistoryToolbar({ shown, span, extras }: Props) {
  const { range, back } = shown.value;
  return (
    <div class="history-tools">
      <fieldset class="history-ranges" aria-label="Range">
        {RANGES.map(([last, word]) => (
          <Button key={last} pressed={isLive(range) && range.last === last} onClick={() => showRange(shown, { last })}>
            {word}
          </Button>
        ))}
      </fieldset>
      <span class="history-steps">
        <IconButton icon="back" label="Earlier" onClick={() => showRange(shown, moved(span, -0.5, Date.now()))} />
        <IconButton icon="next" label="Later" enabled={!isLive(range)} onClick={() => showRange(shown, moved(span, 0.5, Date.now()))} />
        <IconButton icon="shrink" label="Zoom out  Esc" word="Zoom out" enabled={back.length > 0} onClick={() => goBack(shown)} />
      </span>
      <span class={`history-span ${isLive(range) ? "good" : "soft"}`} role="status">
        {isLive(range) ? "Live" : `${momentText(span.from)} – ${momentText(span.until)}`}
      </span>
      {extras && <Extras extras={extras} />}
    </div>
  );
}

/** Charts on demand. */
function Extras({ extras }: { extras: Signal<readonly string[]> }) {
  const toggle = ({ key }: Figure) => {
    const rest = extras.value.filter((one) => one !== key);
    extras.value = rest.length < extras.value.length ? rest : [...rest, key];
  };
  return (
    <fieldset class="history-extras" aria-label="More charts">
      {PROCESS_FIGURES.filter(({ isExtra }) => isExtra).map((figure) => (
        <Button key={figure.key} pressed={extras.value.includes(figure.key)} onClick={() => toggle(figure)}>
          {figure.title}
        </Button>
      ))}
    </fieldset>
  );
}
