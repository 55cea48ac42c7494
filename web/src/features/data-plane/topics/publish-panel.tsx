import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../../../../../src/base/errors.ts";
import { refusalOf } from "../../../state/access.ts";
import { Button } from "../../../ui/button.tsx";
import { SidePanel } from "../../../ui/list/side-panel.tsx";
import { clockAt } from "../../../ui/time.ts";
import { clients, topics } from "../data-store.ts";
import { JsonInput, readJson } from "../json-input.tsx";
import { history, type Message, type Progress, publish, publishAtRate, remember } from "./publishing.ts";

const RATES = [1, 2, 5, 10, 20, 50];
const FIRST: Message = { name: "", value: "{}", definition: "", definitionName: "" };

/** A form that publishes a topic once or at a rate, with the messages that this browser has published before. */
export function PublishPanel({ onClose }: { onClose: () => void }) {
  const [message, setMessage] = useState<Message>(history.peek()[0] ?? FIRST);
  const [rate, setRate] = useState(0);
  const { progress, isRunning, start, stop } = usePublishing();
  const change = (part: Partial<Message>) => setMessage({ ...message, ...part });
  const refusal = refusalOf({ type: "publish_topic" }, "Publishing");
  const canPublish = refusal === null && message.name !== "" && readJson(message.value).ok;
  const submit = () => {
    if (isRunning) stop();
    else if (canPublish) start(message, rate);
  };
  return (
    <SidePanel label="Publish a topic" onClose={onClose}>
      <form
        class="detail-section call-form"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <label>
          <span>Topic</span>
          <input
            list="topics-without-publisher"
            placeholder="arm/goal"
            spellcheck={false}
            value={message.name}
            onInput={(event) => change({ name: event.currentTarget.value })}
          />
        </label>
        <datalist id="topics-without-publisher">
          {withoutPublisher().map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <JsonInput label="Message (JSON)" text={message.value} onInput={(value) => change({ value })} onSubmit={submit} />
        <details open={message.definition !== ""}>
          <summary>Definition</summary>
          <label>
            <span>JSON Schema, or ROS 2 message (sent as CDR)</span>
            <textarea
              rows={4}
              spellcheck={false}
              placeholder="Any JSON"
              value={message.definition}
              onInput={(event) => change({ definition: event.currentTarget.value })}
            />
          </label>
          <label>
            <span>Name of the definition</span>
            <input
              placeholder="geometry_msgs/msg/Point"
              spellcheck={false}
              value={message.definitionName}
              onInput={(event) => change({ definitionName: event.currentTarget.value })}
            />
          </label>
        </details>
        <div class="publish-row">
          <select aria-label="Rate" value={rate} onChange={(event) => setRate(Number(event.currentTarget.value))}>
            <option value={0}>Once</option>
            {RATES.map((hertz) => (
              <option key={hertz} value={hertz}>
                {hertz} Hz
              </option>
            ))}
          </select>
          <Button class="strong" needsManager={!isRunning} enabled={isRunning || canPublish} forbidden={refusal} onClick={submit}>
            {isRunning ? "Stop" : rate === 0 ? "Publish" : "Start"}
          </Button>
        </div>
        <p class={progress?.problem ? "bad" : "soft"} role="status">
          {progress && progressText(progress)}
        </p>
      </form>
      {history.value.map((one) => (
        <section key={`${one.at} ${one.name}`} class="detail-section">
          <h2>
            {one.name} <span class="soft">{clockAt(one.at)}</span>
            <Button class="flat" enabled={!isRunning} onClick={() => setMessage(one)}>
              Use again
            </Button>
          </h2>
          <pre class="quoted soft">{one.value}</pre>
        </section>
      ))}
    </SidePanel>
  );
}

/** Publishes until the form is closed: commands to a robot must not continue unseen. */
function usePublishing() {
  const [progress, setProgress] = useState<Progress | null>(null);
  const [isRunning, setRunning] = useState(false);
  const end = useRef(() => {});
  useEffect(() => () => end.current(), []);
  const stop = () => {
    end.current();
    setRunning(false);
  };
  const start = (message: Message, rate: number) => {
    remember(message);
    setProgress(null);
    if (rate === 0) {
      publish(message).then(
        (subscribers) => setProgress({ sent: 1, subscribers, problem: null }),
        (error: unknown) => setProgress({ sent: 0, subscribers: 0, problem: messageOf(error) }),
      );
      return;
    }
    setRunning(true);
    end.current = publishAtRate(message, rate, (latest) => {
      setProgress(latest);
      if (latest.problem !== null) setRunning(false);
    });
  };
  return { progress, isRunning, start, stop };
}

function progressText({ sent, subscribers, problem }: Progress): string {
  if (problem !== null) return problem;
  const to = subscribers === 0 ? "no client subscribes to it" : `${subscribers} subscriber${subscribers === 1 ? "" : "s"}`;
  return `${sent === 1 ? "Published" : `${sent} messages published`}: ${to}.`;
}

/** Topics that programs subscribe to and none publishes. */
function withoutPublisher(): string[] {
  const published = new Set(topics.value.map(({ name }) => name));
  const subscribed = new Set(clients.value.flatMap(({ subscribed_topics }) => subscribed_topics));
  return [...subscribed].filter((name) => !published.has(name)).sort();
}
