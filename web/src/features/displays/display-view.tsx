import { useEffect, useRef, useState } from "preact/hooks";
import { user } from "../../state/login.ts";
import { show, takesFocus } from "../../state/navigation.ts";
import { allProcesses, processOf } from "../../state/store.ts";
import type { ViewOf } from "../../state/views.ts";
import { hasTouchKeys } from "../../ui/browser/screen.ts";
import { Button } from "../../ui/button.tsx";
import { IconButton } from "../../ui/marks/icons.tsx";
import { MenuButton } from "../../ui/menu.tsx";
import { Name } from "../../ui/name.tsx";
import { now } from "../../ui/time.ts";
import { DisplayScreen, type ScreenState } from "./display-screen.ts";
import { displayFits, displayOptions, displayQuality, displayResizes, QUALITIES } from "./display-settings.ts";
import { SENT_KEYS } from "./keysyms.ts";
import { PasswordForm } from "./password-form.tsx";
import { vncSessions } from "./sessions.ts";
import { TextPanel } from "./text-panel.tsx";
import { TouchKeyboard } from "./touch-keyboard.tsx";

/** The view of a display with its graphical programs. */
export function DisplayView({ view }: { view: ViewOf<"display" | "session"> }) {
  /** The name of a configured session; undefined: the user's own display. */
  const session = view.kind === "session" ? view.name : undefined;
  const box = useRef<HTMLDivElement>(null);
  const section = useRef<HTMLElement>(null);
  const [screen, setScreen] = useState<DisplayScreen | null>(null);
  const [viewOnly, setViewOnly] = useState(false);
  const [hasText, setHasText] = useState(false);
  const state: ScreenState = screen?.state.value ?? { kind: "starting", text: "Connecting …" };
  const options = { ...displayOptions.value, viewOnly };
  useEffect(() => {
    if (!box.current) return;
    // A phone that only views the display leaves its size to the viewers that work with it.
    const isStopped = (process: string) => {
      const { requested_state, state } = processOf(process) ?? {};
      return requested_state === "stop" || state === "stopped";
    };
    const opened = new DisplayScreen({ box: box.current, session: session ?? null, options, isStopped, takesSize: takesFocus() });
    setScreen(opened);
    return () => opened.close();
  }, [session]);
  useEffect(() => {
    if (screen) screen.options = options;
  }, [screen, options.fit, options.resize, options.quality, viewOnly]);
  useEffect(() => {
    if (state.kind === "open" && takesFocus()) screen?.focus();
  }, [state.kind]);
  const stopped = state.kind === "ended" && state.stopped !== null ? processOf(state.stopped) : undefined;
  const isBack = stopped?.requested_state === "start" && stopped.pid !== null;
  useEffect(() => {
    if (isBack) screen?.retry();
  }, [isBack]);
  return (
    <section class={`display ${state.kind}`} aria-label={session === undefined ? "Your display" : `Display of ${session}`} ref={section}>
      <header class="bar">
        <h1>{session === undefined ? "Your display" : <Name name={session} />}</h1>
        <Sessions session={session} />
        <span class="soft grow display-state" role="status">
          {state.kind === "open" ? (viewOnly ? "View only" : session === undefined && !isUsed() ? UNUSED : "") : ""}
        </span>
        <span class="actions">
          <IconButton icon="shrink" label="Fit to the window" word="Fit" pressed={displayFits.value} onClick={() => toggle(displayFits)} />
          <IconButton
            icon="enlarge"
            label="Resize the display to this window while you work with it"
            word="Resize"
            pressed={displayResizes.value}
            onClick={() => toggle(displayResizes)}
          />
          <IconButton
            icon="lock"
            label="View only: no keys, no pointer"
            word="View only"
            pressed={viewOnly}
            onClick={() => setViewOnly(!viewOnly)}
          />
          <IconButton icon="copy" label="Clipboard" pressed={hasText} onClick={() => setHasText(!hasText)} />
          {document.fullscreenEnabled && (
            <IconButton icon="popOut" label="Full screen" onClick={() => void section.current?.requestFullscreen()} />
          )}
          <select
            class="display-quality"
            aria-label="Picture quality"
            value={displayQuality.value}
            onChange={(event) => {
              displayQuality.value = Number(event.currentTarget.value);
            }}
          >
            {QUALITIES.map(([quality, word]) => (
              <option key={quality} value={quality}>
                {word}
              </option>
            ))}
          </select>
          <MenuButton
            label="Send keys"
            icon="keyboard"
            word="Keys"
            items={SENT_KEYS.map(({ label, keys }) => ({ icon: "keyboard", label, run: () => screen?.press(keys) }))}
          />
        </span>
      </header>
      <div class={`display-area ${displayFits.value ? "" : "actual"}`}>
        <div class="display-box takes-keys" ref={box} />
        {state.kind === "password" && screen && <PasswordForm screen={screen} hasName={state.hasName} />}
        {state.kind !== "open" && state.kind !== "password" && <Notice state={state} onRetry={() => screen?.retry()} />}
        {hasText && screen && <TextPanel screen={screen} onClose={() => setHasText(false)} />}
      </div>
      {hasTouchKeys.value && screen && !viewOnly && <TouchKeyboard screen={screen} />}
    </section>
  );
}

const toggle = (setting: { value: boolean }) => {
  setting.value = !setting.value;
};

const UNUSED = "No process uses it yet: one with forward_x11: true opens its windows here when you start it.";
const isUsed = () =>
  allProcesses().some(({ x_display_kind, x_display_username }) => x_display_kind === "web" && x_display_username === user);

/** The other displays that this user may see. */
function Sessions({ session }: { session: string | undefined }) {
  const configured = vncSessions.value.filter(({ kind }) => kind === "configured");
  if (configured.length === 0) return null;
  return (
    <select
      aria-label="Display"
      value={session ?? ""}
      onChange={(event) => {
        const { value } = event.currentTarget;
        show(value === "" ? { kind: "display" } : { kind: "session", name: value });
      }}
    >
      <option value="">Your display{user === "" ? "" : ` (${user})`}</option>
      {configured.map(({ session_id: id, process }) => (
        <option key={id} value={id}>
          {process}
        </option>
      ))}
    </select>
  );
}

function Notice({ state, onRetry }: { state: Exclude<ScreenState, { kind: "open" | "password" }>; onRetry: () => void }) {
  if (state.kind === "starting") return <p class="display-notice soft">{state.text}</p>;
  return (
    <div class="display-notice" role="alert">
      <p>{state.reason}</p>
      {state.kind === "waiting" && <p class="soft">Trying again in {Math.max(1, Math.ceil((state.retryAt - now.value) / 1_000))} s.</p>}
      <Button onClick={onRetry}>Connect now</Button>
    </div>
  );
}
