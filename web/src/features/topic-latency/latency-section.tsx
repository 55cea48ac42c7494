import { useState } from "preact/hooks";
import { chainText, type Latency, remarks } from "../../../../src/features/topic-latency/latency-words.ts";
import { ANSWER_MARGIN_MS, DEFAULT_SECONDS } from "../../../../src/features/topic-latency/limits.ts";
import { refusalOf } from "../../state/access.ts";
import { linkTo } from "../../state/navigation.ts";
import { client } from "../../state/store.ts";
import { Button } from "../../ui/button.tsx";
import { complain } from "../../ui/toasts.ts";
import { PathFigures } from "./path-figures.tsx";
import { Programs } from "./programs.tsx";

const LENGTHS_S = [1, DEFAULT_SECONDS, 10, 30, 60];
const HINTS = { longer: "measure longer", chain: "name one with 'mgr topic latency --chain'" };
const ALL_CHAINS = "";

/** Latency and jitter of a topic, and of the chain of messages that led to its messages, on request. */
export function LatencySection({ topic }: { topic: string }) {
  const [seconds, setSeconds] = useState(DEFAULT_SECONDS);
  const [measured, setMeasured] = useState<{ readonly result: Latency; readonly chain: string } | null>(null);
  const [isMeasuring, setMeasuring] = useState(false);
  /** Chains that measurements found, by their text. */
  const [chains, setChains] = useState<ReadonlyMap<string, readonly string[]>>(new Map());
  const [chosen, setChosen] = useState(ALL_CHAINS);
  const chain = chains.get(chosen);
  const frame = {
    type: "measure_topic_latency",
    name: topic,
    sample_seconds: seconds,
    ...(chain === undefined ? {} : { chain: [...chain] }),
  } as const;
  const show = (result: Latency) => {
    setMeasured({ result, chain: chosen });
    const found = result.paths.filter(({ topics }) => topics.length > 1).map(({ topics }) => [chainText(topics), topics] as const);
    setChains((known) => new Map([...known, ...found]));
  };
  const measure = () => {
    setMeasuring(true);
    client
      .request(frame, { timeout: seconds * 1_000 + ANSWER_MARGIN_MS })
      .then(show, complain)
      .finally(() => setMeasuring(false));
  };
  return (
    <section class="detail-section latency">
      <h2>Latency</h2>
      <p class="latency-tools">
        <select
          aria-label="Length of the measurement"
          value={seconds}
          disabled={isMeasuring}
          onChange={(event) => setSeconds(Number(event.currentTarget.value))}
        >
          {LENGTHS_S.map((length) => (
            <option key={length} value={length}>
              {length} s
            </option>
          ))}
        </select>
        {chains.size > 0 && (
          <select aria-label="Chain" value={chosen} disabled={isMeasuring} onChange={(event) => setChosen(event.currentTarget.value)}>
            <option value={ALL_CHAINS}>All chains</option>
            {[...chains.keys()].map((text) => (
              <option key={text}>{text}</option>
            ))}
          </select>
        )}
        <Button enabled={!isMeasuring} needsManager forbidden={refusalOf(frame, "Measuring the latency")} onClick={measure}>
          {isMeasuring ? "Measuring…" : "Measure"}
        </Button>
      </p>
      <p role="status">{measured !== null && !isMeasuring && summaryOf(measured.result, measured.chain)}</p>
      {measured !== null && <Result measured={measured.result} />}
    </section>
  );
}

const summaryOf = ({ messages, sample_seconds, host }: Latency, chain: string) =>
  `${messages.toLocaleString("en-US")} messages ${chain === ALL_CHAINS ? "" : `by ${chain} `}in ${sample_seconds} s, measured on ${host}.`;

function Result({ measured }: { measured: Latency }) {
  const { paths, stages, incident } = measured;
  return (
    <>
      {remarks(measured, HINTS).map((remark) => (
        <p key={remark}>{`${remark.charAt(0).toUpperCase()}${remark.slice(1)}.`}</p>
      ))}
      {paths.map((path) => (
        <PathFigures key={path.topics.join("\n")} path={path} />
      ))}
      {incident !== null && (
        <p>
          <a {...linkTo({ kind: "incident", id: incident })}>Incident that has the worst case</a>
        </p>
      )}
      {paths.length > 0 && <Programs stages={stages} />}
    </>
  );
}
