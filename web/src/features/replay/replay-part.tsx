import { useState } from "preact/hooks";
import { messageOf } from "../../../../src/base/errors.ts";
import type { Recording } from "../../../../src/features/recordings/wire.ts";
import { refusalOf } from "../../state/access.ts";
import { client, command } from "../../state/store.ts";
import { Button } from "../../ui/button.tsx";
import { Labelled } from "../../ui/labelled.tsx";
import { Icon } from "../../ui/marks/icons.tsx";
import { FIRST_CHOICE, type PlayChoice, playRequest } from "./play-request.ts";
import { playbacks } from "./playbacks-store.ts";
import { Player } from "./player.tsx";

/** Plays a recording: its plays, or what starts one. */
export function ReplayPart({ recording }: { recording: Recording }) {
  const { name, state, files } = recording;
  /** The play that this page has started. */
  const [started, setStarted] = useState<string | null>(null);
  const own = playbacks.value.filter(({ playback }) => playback.recording === name);
  const active = own.filter(({ playback }) => playback.state !== "ended");
  const isRunning = state === "recording" || state === "starting" || state === "stopping";
  if (active.length === 0 && (isRunning || files.length === 0)) return null;
  return (
    <section class="detail-section">
      <h2>Play</h2>
      {active.map((shown) => (
        <Player key={shown.playback.id} shown={shown} hasFocus={shown.playback.id === started} />
      ))}
      {own.map(({ playback: { id, state: ended, problem } }) =>
        ended === "ended" && problem !== null ? (
          <p key={id} class="player-problem">
            <span class="bad">The play ended early: {problem}</span>
            <Button
              needsManager
              forbidden={refusalOf({ type: "control_playback" })}
              onClick={() => void command({ type: "control_playback", playback: id, action: "stop" })}
            >
              Dismiss
            </Button>
          </p>
        ) : null,
      )}
      {active.length === 0 && <PlayForm recording={recording} onStarted={setStarted} />}
    </section>
  );
}

function PlayForm({ recording, onStarted }: { recording: Recording; onStarted: (id: string) => void }) {
  const hosts = [...new Set(recording.files.map(({ host }) => host))];
  const [choice, setChoice] = useState<PlayChoice>({ ...FIRST_CHOICE, host: hosts[0] ?? "" });
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const change = (part: Partial<PlayChoice>) => setChoice({ ...choice, ...part });
  const forbidden = refusalOf({ type: "play_recording" }, "Playing");
  const play = async () => {
    if (isBusy || forbidden !== null) return;
    setBusy(true);
    setProblem(null);
    try {
      const answer = await client.request(playRequest(recording.name, choice));
      onStarted(answer.playback.id);
    } catch (error) {
      setProblem(messageOf(error));
    }
    setBusy(false);
  };
  return (
    <form
      class="call-form"
      onSubmit={(event) => {
        event.preventDefault();
        void play();
      }}
    >
      <div class="record-buttons">
        <Button class="start" needsManager enabled={!isBusy} forbidden={forbidden} onClick={() => void play()}>
          <Icon name="start" />
          {isBusy ? "Starting…" : "Play"}
        </Button>
      </div>
      <details>
        <summary>Options</summary>
        {hosts.length > 1 && (
          <Labelled text="Host whose files are played">
            <select value={choice.host} onChange={(event) => change({ host: event.currentTarget.value })}>
              {hosts.map((host) => (
                <option key={host}>{host}</option>
              ))}
            </select>
          </Labelled>
        )}
        <Labelled text="Topics: names or patterns">
          <input
            placeholder="All topics"
            spellcheck={false}
            value={choice.topics}
            onInput={(event) => change({ topics: event.currentTarget.value })}
          />
        </Labelled>
        <Labelled text="Other names">
          <input
            placeholder="arm/*=old/*"
            spellcheck={false}
            value={choice.remap}
            onInput={(event) => change({ remap: event.currentTarget.value })}
          />
        </Labelled>
        <label class="check-row">
          <input type="checkbox" checked={choice.skipsLive} onChange={(event) => change({ skipsLive: event.currentTarget.checked })} />
          Leave out topics that are published now
        </label>
        <label class="check-row">
          <input type="checkbox" checked={choice.isPaused} onChange={(event) => change({ isPaused: event.currentTarget.checked })} />
          Begin paused
        </label>
        <label class="check-row">
          <input type="checkbox" checked={choice.isLooping} onChange={(event) => change({ isLooping: event.currentTarget.checked })} />
          Loop
        </label>
      </details>
      <p class="bad" role="status">
        {problem}
      </p>
    </form>
  );
}
