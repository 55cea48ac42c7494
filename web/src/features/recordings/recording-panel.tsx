import { counted } from "../../../../src/base/text/counted.ts";
import { bytesText, spanText } from "../../../../src/client/shown/units.ts";
import { recordedSpan } from "../../../../src/features/recordings/client/recorded-span.ts";
import type { Recording } from "../../../../src/features/recordings/wire.ts";
import { refusalOf } from "../../state/access.ts";
import { show } from "../../state/navigation.ts";
import { command } from "../../state/store.ts";
import { viewRefusal } from "../../state/views.ts";
import { downloadFrom } from "../../ui/browser/download.ts";
import { Button } from "../../ui/button.tsx";
import { confirm } from "../../ui/dialog.tsx";
import { SidePanel } from "../../ui/list/side-panel.tsx";
import { Icon, IconButton } from "../../ui/marks/icons.tsx";
import { clockTime } from "../../ui/time.ts";
import { fileAddress, mergedAddress } from "./file/file-address.ts";
import { recordingParts } from "./parts.ts";
import { lostText } from "./recording-request.ts";

type RecordedFile = Recording["files"][number];

const WORDS: Record<Recording["state"], string> = {
  recording: "Recording",
  starting: "Starting",
  stopping: "Stopping",
  idle: "Stopped",
  error: "Failed",
};
const TONES: Record<Recording["state"], string> = { recording: "good", starting: "", stopping: "", idle: "soft", error: "bad" };

export function StateText({ recording: { state } }: { recording: Pick<Recording, "state"> }) {
  return (
    <span class={`in-row ${TONES[state]}`}>
      <span class={`record-dot ${state}`} />
      {WORDS[state]}
    </span>
  );
}

interface Props {
  readonly recording: Recording;
  /** Opens a form that starts the recording again. */
  readonly onAgain: () => void;
  readonly onClose: () => void;
}

/** One recording: its state, files and topics. */
export function RecordingPanel({ recording, onAgain, onClose }: Props) {
  const { name, state, problem, files, patterns, start_time } = recording;
  const topics = recording.topics.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const isRunning = state === "recording" || state === "starting" || state === "stopping";
  const remove = async () => {
    const text = `${counted(files.length, "file")} on ${recording.hosts.join(", ")}, ${bytesText(recording.size)}, will be deleted. This cannot be undone.`;
    if (!(await confirm({ title: `Delete the recording ${name}?`, text, yes: "Delete", isDanger: true }))) return;
    if (await command({ type: "delete_recording", name })) onClose();
  };
  return (
    <SidePanel label={`Recording ${name}`} title={name} onClose={onClose}>
      <section class="detail-section">
        <p class="record-state">
          <StateText recording={recording} />
          {start_time !== null && <span class="soft">{`started ${clockTime(start_time)}`}</span>}
        </p>
        {problem !== null && <p class="bad">{problem}</p>}
        <div class="record-buttons">
          {isRunning ? (
            <Button
              class="stop"
              needsManager
              enabled={state === "recording"}
              forbidden={refusalOf({ type: "stop_recording" })}
              onClick={() => void command({ type: "stop_recording", name })}
            >
              <Icon name="stop" />
              Stop
            </Button>
          ) : (
            <Button needsManager forbidden={refusalOf({ type: "start_recording" }, "Recording")} onClick={onAgain}>
              Record again…
            </Button>
          )}
          <Button needsManager enabled={!isRunning} forbidden={refusalOf({ type: "delete_recording" })} onClick={() => void remove()}>
            <Icon name="clear" />
            Delete
          </Button>
        </div>
        <dl class="record-facts">
          <dt>Size</dt>
          <dd>{bytesText(recording.size)}</dd>
          <dt>Duration</dt>
          <dd>{spanText(recordedSpan(files) ?? 0)}</dd>
          <dt>Messages</dt>
          <dd>{recording.messages.toLocaleString("en-US")}</dd>
          <dt>Lost</dt>
          <dd class={recording.missed + recording.dropped > 0 ? "bad" : undefined}>{lossesInWords(recording)}</dd>
          <dt>Records</dt>
          <dd>{patterns.join(", ")}</dd>
        </dl>
      </section>
      {recordingParts.map((Part, index) => (
        <Part key={index} recording={recording} />
      ))}
      <section class="detail-section">
        <h2>Files</h2>
        {files.length > 1 && (
          <div class="record-buttons">
            <Button
              title="All files in one, in the order of time, with the clocks of the hosts put right"
              forbidden={refusalOf({ need: "download", on: null }, "A download")}
              onClick={() => downloadFrom(mergedAddress(name))}
            >
              <Icon name="download" />
              Download as one file
            </Button>
          </div>
        )}
        {files.length === 0 && <p class="soft">None yet: a file begins with the first message.</p>}
        <ul class="record-files">
          {files.toReversed().map((file) => (
            <FileRow key={`${file.host} ${file.file}`} name={name} file={file} />
          ))}
        </ul>
      </section>
      <section class="detail-section">
        <h2>Topics since it was started</h2>
        {topics.length === 0 ? (
          <p class="soft">No messages.</p>
        ) : (
          <table class="record-topics">
            <thead>
              <tr>
                <th scope="col">Topic</th>
                <th scope="col" class="number">
                  Messages
                </th>
                <th scope="col" class="number">
                  Lost
                </th>
              </tr>
            </thead>
            <tbody>
              {topics.map((topic) => (
                <tr key={`${topic.host} ${topic.name}`}>
                  <td title={`${topic.name} of ${topic.host}`}>{topic.name}</td>
                  <td class="number">{topic.messages.toLocaleString("en-US")}</td>
                  <td class={`number ${topic.missed + topic.dropped > 0 ? "bad" : "soft"}`}>{topic.missed + topic.dropped}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
    </SidePanel>
  );
}

function FileRow({ name, file }: { name: string; file: RecordedFile }) {
  const place = { recording: name, host: file.host, file: file.file };
  const remove = async () => {
    const text = `${bytesText(file.size)} on ${file.host} will be deleted. This cannot be undone.`;
    if (await confirm({ title: `Delete ${file.file}?`, text, yes: "Delete", isDanger: true }))
      await command({ type: "delete_recording", name, host: file.host, file: file.file });
  };
  const about = [
    file.host,
    bytesText(file.size),
    spanText(recordedSpan([file]) ?? 0),
    ...(file.missed + file.dropped > 0 ? [`lost ${lostText(file)}`] : []),
    ...(file.is_repaired ? ["completed after a crash"] : []),
  ];
  return (
    <li>
      <span class="file-name">{file.start_time === null ? file.file : clockTime(file.start_time)}</span>
      <span class="soft">{about.join(" · ")}</span>
      <span class="file-buttons">
        {file.is_growing ? (
          <span class="soft">Being written</span>
        ) : (
          <Button forbidden={viewRefusal({ kind: "recorded", ...place })} onClick={() => show({ kind: "recorded", ...place })}>
            <Icon name="data" />
            Plot
          </Button>
        )}
        <Button
          label={`Download ${file.file}`}
          title={file.file}
          forbidden={refusalOf({ need: "download", on: null }, "A download")}
          onClick={() => downloadFrom(fileAddress(place), file.file)}
        >
          <Icon name="download" />
          Download
        </Button>
        {!file.is_growing && (
          <IconButton
            icon="clear"
            label={`Delete ${file.file}`}
            word="Delete"
            needsManager
            forbidden={refusalOf({ type: "delete_recording" })}
            onClick={() => void remove()}
          />
        )}
      </span>
    </li>
  );
}

function lossesInWords(recording: Pick<Recording, "messages" | "missed" | "dropped">): string {
  const { missed, dropped } = recording;
  if (missed + dropped === 0) return "none";
  return `${lostText(recording)} (${missed} did not arrive, ${dropped} not written because the disk was too slow)`;
}
