import type { DaemonLogger, LoggerTopic } from "../../../../src/features/loggers/wire.ts";
import { refusalOf } from "../../state/access.ts";
import { command } from "../../state/store.ts";
import { Button } from "../../ui/button.tsx";
import { confirm } from "../../ui/dialog.tsx";
import { SidePanel } from "../../ui/list/side-panel.tsx";
import { Icon } from "../../ui/marks/icons.tsx";
import { LoggerDownload } from "./logger-download.tsx";
import { samplesOf } from "./logger-form-values.ts";

export function LoggerState({ logger: { enabled } }: { logger: Pick<DaemonLogger, "enabled"> }) {
  return (
    <span class={`in-row ${enabled ? "good" : "soft"}`}>
      <span class={`record-dot ${enabled ? "recording" : "idle"}`} />
      {enabled ? "Started" : "Stopped"}
    </span>
  );
}

interface Props {
  readonly logger: DaemonLogger;
  readonly onConfigure: () => void;
  readonly onClose: () => void;
}

/** One logger: its topics with live counts, and buttons to start, stop and download. */
export function LoggerPanel({ logger, onConfigure, onClose }: Props) {
  const { name, enabled, topics } = logger;
  const change = { type: enabled ? "stop_logger" : "start_logger", name } as const;
  const remove = async () => {
    const text = `Its ${samplesOf(logger).toLocaleString("en-US")} samples will be gone. This cannot be undone.`;
    if (!(await confirm({ title: `Delete the logger ${name}?`, text, yes: "Delete", isDanger: true }))) return;
    if (await command({ type: "delete_logger", name })) onClose();
  };
  return (
    <SidePanel label={`Logger ${name}`} title={name} onClose={onClose}>
      <section class="detail-section">
        <p class="record-state">
          <LoggerState logger={logger} />
          {topics.some(({ only_ts }) => only_ts) && <span class="soft">keeps times only</span>}
        </p>
        <div class="record-buttons">
          <Button class={enabled ? "stop" : "start"} needsManager forbidden={refusalOf(change)} onClick={() => void command(change)}>
            <Icon name={enabled ? "stop" : "start"} />
            {enabled ? "Stop" : "Start"}
          </Button>
          <Button
            needsManager
            enabled={!enabled}
            forbidden={refusalOf({ type: "configure_logger" })}
            {...(enabled ? { title: "Stop it first" } : {})}
            onClick={onConfigure}
          >
            <Icon name="settings" />
            Configure…
          </Button>
          <Button needsManager forbidden={refusalOf({ type: "delete_logger" })} onClick={() => void remove()}>
            <Icon name="clear" />
            Delete
          </Button>
        </div>
      </section>
      <section class="detail-section">
        <h2>Topics</h2>
        <ul class="logger-topics">
          {topics.map((topic) => (
            <TopicRow key={`${topic.name} ${topic.port}`} topic={topic} isStarted={enabled} />
          ))}
        </ul>
      </section>
      <LoggerDownload name={name} isStarted={enabled} isEmpty={samplesOf(logger) === 0} />
    </SidePanel>
  );
}

function TopicRow({ topic, isStarted }: { topic: LoggerTopic; isStarted: boolean }) {
  const { name, n_samples, log_size, divisor, active, md_name, port } = topic;
  const host = port.slice(0, -name.length - 1);
  const about = [
    ...(host === "" ? [] : [host]),
    ...(divisor > 1 ? [`1 of ${divisor} samples`] : []),
    ...(md_name === "" ? [] : [md_name]),
    ...(isStarted ? [active ? "receiving" : "not receiving"] : []),
  ];
  return (
    <li>
      <span class="logger-topic-name" title={name}>
        {name}
      </span>
      <span class="number">{`${n_samples.toLocaleString("en-US")} of ${log_size.toLocaleString("en-US")}`}</span>
      <progress max={log_size} value={n_samples} aria-label={`Samples kept of ${name}`} />
      <span class={isStarted && !active ? "warn" : "soft"}>{about.join(" · ")}</span>
    </li>
  );
}
