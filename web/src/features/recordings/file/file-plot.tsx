import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../../../../src/base/errors.ts";
import { spanText } from "../../../../../src/client/shown/units.ts";
import { Button } from "../../../ui/button.tsx";
import { clockAt } from "../../../ui/time.ts";
import { complain } from "../../../ui/toasts.ts";
import { PlotFrame, type Scale, toggled, useUnits } from "../../data-plane/plot/public.ts";
import type { Trace } from "../../data-plane/plot/public-samples.ts";
import { fileSource } from "./file-source.ts";
import { RangeReader } from "./range-reader.ts";
import type { RecordedFile, RecordedTopic } from "./recorded-file.ts";

type OpenedFile = { kind: "opening" } | { kind: "failed"; problem: string } | { kind: "open"; file: RecordedFile };

/** Opens the file at an address of the manager, which serves ranges of it. */
export function useFile(address: string): OpenedFile {
  const [opened, setOpened] = useState<OpenedFile>({ kind: "opening" });
  useEffect(() => {
    let isOver = false;
    setOpened({ kind: "opening" });
    import("./recorded-file.ts")
      .then(({ RecordedFile }) => RecordedFile.open(new RangeReader(address)))
      .then((file): OpenedFile => ({ kind: "open", file }))
      .catch((error: unknown): OpenedFile => ({ kind: "failed", problem: messageOf(error) }))
      .then((result) => !isOver && setOpened(result));
    return () => {
      isOver = true;
    };
  }, [address]);
  return opened;
}

/** When the file begins, how long it is, and its messages. */
export function aboutFile({ span, topics }: RecordedFile): string {
  const messages = topics.reduce((sum, one) => sum + one.messages, 0);
  return `${clockAt(span.from * 1_000)}, ${spanText((span.until - span.from) * 1_000)}, ${messages.toLocaleString("en-US")} messages`;
}

/** The topics of a file, and a plot of the fields that are selected. */
export function FilePlot({ name, file }: { name: string; file: RecordedFile }) {
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
      <FileTopics file={file} traces={traces} onToggle={toggle} />
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
          fileName={name}
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

interface FileTopicsProps {
  readonly file: RecordedFile;
  /** The fields that are plotted. */
  readonly traces: readonly Trace[];
  readonly onToggle: (trace: Trace) => void;
}

/** The topics of a file, with buttons for their fields. */
export function FileTopics(props: FileTopicsProps) {
  return (
    <ul class="recorded-topics" aria-label="Topics of the file">
      {props.file.topics.map((topic) => (
        <TopicFields key={topic.name} topic={topic} {...props} />
      ))}
    </ul>
  );
}

/** A topic and its fields, which are read when it is opened. */
function TopicFields({ file, topic, traces, onToggle }: FileTopicsProps & { readonly topic: RecordedTopic }) {
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
