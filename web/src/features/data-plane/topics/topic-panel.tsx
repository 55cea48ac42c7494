import { useEffect, useState } from "preact/hooks";
import { rateText } from "../../../../../src/client/shown/units.ts";
import { highestRate, limitText, verdictText } from "../../../../../src/features/data-plane/limit-text.ts";
import type { Topic } from "../../../../../src/features/data-plane/wire/topic.ts";
import type { ManagerFrame } from "../../../../../src/protocol/frames/frames.ts";
import { linkTo } from "../../../state/navigation.ts";
import { ask } from "../../../state/store.ts";
import { Button } from "../../../ui/button.tsx";
import { SidePanel } from "../../../ui/list/side-panel.tsx";
import { Sparkline } from "../../../ui/list/sparkline.tsx";
import { clockTime, now } from "../../../ui/time.ts";
import { complain } from "../../../ui/toasts.ts";
import { rates } from "../data-store.ts";
import { topicParts } from "../parts.ts";
import { numericFields } from "../plot/traces.ts";
import { isPlotted, plotted, togglePlotted } from "../scope/plotted.ts";
import { valueText } from "../words.ts";
import { readTopic, type Sample } from "./topic-subscriptions.ts";
import { TraceSection } from "./trace-section.tsx";

type Detail = Extract<ManagerFrame, { type: "topic_detail" }>;
const SAMPLES_A_SECOND = 5;

/** One topic: its newest sample, its publishers and subscribers, its definition. */
export function TopicPanel({ topic, onClose }: { topic: Topic; onClose: () => void }) {
  const { name, publisher_rate, subscribers } = topic;
  const detail = useDetail(name, subscribers);
  const [paused, setPaused] = useState(false);
  const live = useSamples(name, !paused);
  const sample = live ?? (detail?.ok ? detail.last_sample : null);
  return (
    <SidePanel label={`Topic ${name}`} title={name} onClose={onClose}>
      <section class="detail-section long-text">
        <h2>
          Newest sample <span class="soft">{sample && clockTime(sample.ts)}</span>
          <Button class="flat" pressed={paused} onClick={() => setPaused(!paused)}>
            {paused ? "Resume" : "Pause"}
          </Button>
        </h2>
        {topic.problem !== null && <p class="bad">{topic.problem}</p>}
        {live !== null && live.undecoded > 0 && <p class="bad">{live.undecoded} samples could not be decoded by the definition.</p>}
        {sample ? <Text class="quoted sample">{valueText(sample.value)}</Text> : <p class="soft">No sample yet.</p>}
      </section>
      {sample && <Fields topic={name} sample={sample} />}
      <section class="detail-section">
        <h2>Publisher</h2>
        <p>
          {topic.publisher} on {topic.publisher_host}, {rateText(publisher_rate)}
        </p>
      </section>
      {topic.limits.length > 0 && <Limits topic={topic} />}
      <section class="detail-section">
        <h2>Subscribers</h2>
        {detail?.ok && detail.subscribers.length > 0 ? (
          <ul>
            {detail.subscribers.map((one) => (
              <li key={one.client_id}>
                {one.client} on {one.host}
              </li>
            ))}
          </ul>
        ) : (
          <p class="soft">None.</p>
        )}
      </section>
      <TraceSection topic={name} />
      {topicParts.map((Part, index) => (
        <Part key={index} topic={name} />
      ))}
      {detail?.ok && detail.definition !== "" && (
        <section class="detail-section long-text">
          <h2>
            Definition <span class="soft">{detail.encoding}</span>
          </h2>
          <Text class="quoted">{detail.definition}</Text>
        </section>
      )}
    </SidePanel>
  );
}

/** A text that scrolls. */
function Text({ class: name, children }: { class: string; children: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard (axe: scrollable-region-focusable)
    <pre class={name} tabIndex={0}>
      {children}
    </pre>
  );
}

/** What processes expect of the topic, beside its rate of the last minute. */
function Limits({ topic: { name, limits } }: { topic: Topic }) {
  // Redraws each second.
  void now.value;
  return (
    <section class="detail-section">
      <h2>Limits</h2>
      <Sparkline
        values={rates.get(name) ?? []}
        limit={highestRate(limits)}
        width={240}
        height={48}
        label={`Rate of ${name} in the last minute, with its limit`}
      />
      {limits.map((limit, index) => (
        <p key={index} class={limit.met === false ? "bad" : ""}>
          {limitText(limit)}: {verdictText(limit, clockTime)}
        </p>
      ))}
    </section>
  );
}

/** Requests the details of a topic, again when the number of subscribers changes. */
function useDetail(name: string, subscribers: number): Detail | null {
  const [detail, setDetail] = useState<Detail | null>(null);
  useEffect(() => {
    let isOld = false;
    ask({ type: "request_topic_detail", name }, "topic_detail")
      .then((answer) => !isOld && setDetail(answer))
      .catch(complain);
    return () => {
      isOld = true;
    };
  }, [name, subscribers]);
  return detail;
}

/** The newest sample of a topic; not updated unless `isWanted`. */
function useSamples(name: string, isWanted: boolean): Sample | null {
  const [sample, setSample] = useState<Sample | null>(null);
  useEffect(() => (isWanted ? readTopic(name, SAMPLES_A_SECOND, setSample) : undefined), [name, isWanted]);
  return sample;
}

/** The numeric fields, as buttons that add them to the plot or remove them. */
function Fields({ topic, sample }: { topic: string; sample: Pick<Sample, "value"> }) {
  const fields = numericFields(sample.value);
  if (fields.length === 0) return null;
  return (
    <section class="detail-section">
      <h2>
        Plot{" "}
        {plotted.value.length > 0 && (
          <a class="soft" {...linkTo({ kind: "plot" })}>
            show {plotted.value.length}
          </a>
        )}
      </h2>
      <div class="field-buttons">
        {fields.map((field) => (
          <Button key={field} pressed={isPlotted({ topic, field })} onClick={() => togglePlotted({ topic, field })}>
            {field === "" ? "value" : field}
          </Button>
        ))}
      </div>
    </section>
  );
}
