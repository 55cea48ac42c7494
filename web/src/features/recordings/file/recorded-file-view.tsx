import { linkTo } from "../../../state/navigation.ts";
import type { ViewOf } from "../../../state/views.ts";
import { Button } from "../../../ui/button.tsx";
import { downloadFrom } from "../../../ui/download.ts";
import { Icon } from "../../../ui/icons.tsx";
import { recordings } from "../recordings-store.ts";
import { fileAddress } from "./file-address.ts";
import { aboutFile, FilePlot, useFile } from "./file-plot.tsx";

/** A plot of the samples in a recorded file. */
export function RecordedFileView({ view }: { view: ViewOf<"recorded"> }) {
  const opened = useFile(fileAddress(view));
  const known = recordings.value.find(({ name }) => name === view.recording)?.files.find(({ file }) => file === view.file);
  return (
    <section class="data recorded-file" aria-label={`Recording ${view.recording}`}>
      <header class="data-filter">
        <a {...linkTo({ kind: "recordings" })}>Recordings</a>
        <h2 title={view.file}>{view.recording}</h2>
        {opened.kind === "open" && <span class="soft about">{aboutFile(opened.file)}</span>}
        <span class="grow" />
        <Button onClick={() => downloadFrom(fileAddress(view), view.file)}>
          <Icon name="download" />
          Download
        </Button>
      </header>
      {opened.kind === "opening" && <p class="empty nothing">Reading the file…</p>}
      {opened.kind === "failed" && (
        <p class="empty nothing" role="alert">
          {known?.is_growing
            ? "This file is still being written. Stop the recording, or plot one of its finished files."
            : `The file cannot be read: ${opened.problem}`}
        </p>
      )}
      {opened.kind === "open" && <FilePlot key={fileAddress(view)} name={view.file.replace(/\.mcap$/, "")} file={opened.file} />}
    </section>
  );
}

function aboutFile({ span, topics }: RecordedFile): string {
  const messages = topics.reduce((sum, one) => sum + one.messages, 0);
  return `${clockAt(span.from * 1_000)}, ${spanText((span.until - span.from) * 1_000)}, ${messages.toLocaleString("en-US")} messages`;
}

function useFile(place: FilePlace): Opened {
  const [opened, setOpened] = useState<Opened>({ kind: "opening" });
  const address = fileAddress(place);
  useEffect(() => {
    let isOver = false;
    setOpened({ kind: "opening" });
    import("./recorded-file.ts")
      .then(({ RecordedFile }) => RecordedFile.open(new RangeReader(address)))
      .then((file): Opened => ({ kind: "open", file }))
      .catch((error: unknown): Opened => ({ kind: "failed", problem: messageOf(error) }))
      .then((result) => !isOver && setOpened(result));
    return () => {
      isOver = true;
    };
  }, [address]);
  return opened;
}

function FilePlot({ place, file }: { place: FilePlace; file: RecordedFile }) {
  const [traces, setTraces] = useState<readonly Trace[]>([]);
  const [zoomed, setZoomed] = useState(false);
  const [scale, setScale] = useState<Scale>("auto");
  const [progress, setProgress] = useState(0);
  const unitOf = useUnits(traces);
  const toggle = (trace: Trace) => {
    setTraces(toggled(traces, trace));
    setZoomed(false);
  };
  const [source] = useState(() => fileSource(file, setProgress));
  return (
    <div class="data-body">
      <ul class="recorded-topics" aria-label="Topics of the file">
        {file.topics.map((topic) => (
          <TopicFields key={topic.name} file={file} topic={topic} traces={traces} onToggle={toggle} />
        ))}
      </ul>
      {traces.length === 0 ? (
        <p class="empty nothing">Open a topic and select the fields to plot.</p>
      ) : (
        <PlotFrame
          traces={traces}
          source={source}
          paused={zoomed}
          onZoom={() => setZoomed(true)}
          onRemove={toggle}
          scale={scale}
          onScale={setScale}
          unitOf={unitOf}
          fileName={place.file.replace(/\.mcap$/, "")}
          tools={
            <span class="soft" role="status">
              {progress < 1 ? `Reading, ${Math.floor(progress * 100)} %` : ""}
            </span>
          }
          note="Turn the wheel, drag, press + at the pointer, or spread two fingers to zoom; Shift and the wheel, or one finger, moves. Double-click or press − for the whole file. Arrow keys move the pointer."
        />
      )}
    </div>
  );
}

interface TopicFieldsProps {
  readonly file: RecordedFile;
  readonly topic: RecordedTopic;
  readonly traces: readonly Trace[];
  readonly onToggle: (trace: Trace) => void;
}

/** A topic and its fields, which are read when it is opened. */
function TopicFields({ file, topic, traces, onToggle }: TopicFieldsProps) {
  const [fields, setFields] = useState<readonly string[] | null>(null);
  const { name, messages, isReadable } = topic;
  const read = () => {
    if (fields === null) file.fields(name).then(setFields).catch(complain);
  };
  return (
    <li>
      <details onToggle={(event) => event.currentTarget.open && read()}>
        <summary>
          <span class="file-name" title={name}>
            {name}
          </span>
          <span class="soft number">{messages.toLocaleString("en-US")}</span>
        </summary>
        {!isReadable && <p class="soft">Its messages have no definition that can be read here.</p>}
        {isReadable && fields === null && <p class="soft">Reading…</p>}
        {isReadable && fields?.length === 0 && <p class="soft">No numeric fields.</p>}
        <div class="field-buttons">
          {fields?.map((field) => (
            <Button
              key={field}
              pressed={traces.some((trace) => trace.topic === name && trace.field === field)}
              onClick={() => onToggle({ topic: name, field })}
            >
              {field === "" ? "value" : field}
            </Button>
          ))}
        </div>
      </details>
    </li>
  );
}
