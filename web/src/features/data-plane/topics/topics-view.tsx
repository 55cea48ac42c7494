import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { bytesText, rateText } from "../../../../../src/client/shown/units.ts";
import { highestRate } from "../../../../../src/features/data-plane/limit-text.ts";
import type { Topic } from "../../../../../src/features/data-plane/wire/topic.ts";
import { refusalOf } from "../../../state/access.ts";
import { Button } from "../../../ui/button.tsx";
import { ListView } from "../../../ui/list/list-view.tsx";
import { Sparkline } from "../../../ui/list/sparkline.tsx";
import type { Column } from "../../../ui/list/table.tsx";
import { now } from "../../../ui/time.ts";
import { rates, topics } from "../data-store.ts";
import { PublishPanel } from "./publish-panel.tsx";
import { TopicPanel } from "./topic-panel.tsx";

/** Kept while other views are shown. */
const filter = signal("");

const COLUMNS: readonly Column<Topic>[] = [
  { title: "Rate", isNumber: true, value: ({ publisher_rate }) => publisher_rate, cell: ({ publisher_rate }) => rateText(publisher_rate) },
  { title: "Last minute", isWide: true, cell: (topic) => <RateLine topic={topic} /> },
  { title: "Subscribers", isNumber: true, value: ({ subscribers }) => subscribers, cell: ({ subscribers }) => subscribers },
  {
    title: "Packets",
    isNumber: true,
    isWide: true,
    value: (topic) => topic.published_packets,
    cell: (topic) => topic.published_packets.toLocaleString("en-US"),
  },
  {
    title: "Size",
    isNumber: true,
    isWide: true,
    value: ({ message_size }) => message_size,
    cell: ({ message_size }) => bytesText(message_size),
  },
  { title: "Publisher", isMedium: true, value: ({ publisher }) => publisher, cell: ({ publisher }) => publisher },
  { title: "Host", isWide: true, value: ({ publisher_host }) => publisher_host, cell: ({ publisher_host }) => publisher_host },
  { title: "Message", isWide: true, value: (topic) => topic.message_definition, cell: (topic) => topic.message_definition },
];

export function TopicsView() {
  const [selected, setSelected] = useState<string | null>(null);
  const [isPublishing, setPublishing] = useState(false);
  return (
    <ListView
      label="Topics"
      items={topics.value}
      textOf={({ name, publisher, publisher_host, message_definition }) => [name, publisher, publisher_host, message_definition]}
      filter={filter}
      keyOf={({ name }) => name}
      nameOf={({ name }) => name}
      nameTitle="Topic"
      columns={COLUMNS}
      selected={selected}
      onSelect={(name) => {
        setSelected(name);
        if (name !== null) setPublishing(false);
      }}
      tools={
        <Button
          pressed={isPublishing}
          forbidden={refusalOf({ type: "publish_topic" }, "Publishing")}
          onClick={() => setPublishing(!isPublishing)}
        >
          Publish…
        </Button>
      }
      form={isPublishing && <PublishPanel onClose={() => setPublishing(false)} />}
      panelOf={(topic, onClose) => <TopicPanel key={topic.name} topic={topic} onClose={onClose} />}
      empty={<p>No topics. A program publishes with mgr/client, mgr_client.py or any NATS library at MGR_BUS_URL.</p>}
    />
  );
}

function RateLine({ topic: { name, limits } }: { topic: Topic }) {
  // Redraws each second.
  void now.value;
  return <Sparkline values={rates.get(name) ?? []} limit={highestRate(limits)} label={`Rate of ${name} in the last minute`} />;
}
