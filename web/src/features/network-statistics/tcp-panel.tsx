import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../../../src/base/errors.ts";
import { bytesText, roundTripText } from "../../../../src/client/shown/units.ts";
import type { TcpConnection } from "../../../../src/features/network-statistics/wire.ts";
import { linkTo } from "../../state/navigation.ts";
import { client, hasProcess } from "../../state/store.ts";
import { viewOfPid } from "../../state/views.ts";
import { SidePanel } from "../../ui/list/side-panel.tsx";
import { filterByWords } from "../../ui/list/word-filter.ts";
import { IconButton } from "../../ui/marks/icons.tsx";
import { clockAt } from "../../ui/time.ts";

interface Answer {
  readonly connections: readonly TcpConnection[];
  readonly at: number;
}

/** TCP connections of a host's programs, requested when the panel is opened and when the user refreshes. */
export function TcpPanel({ host, onClose }: { host: string; onClose: () => void }) {
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [text, setText] = useState("");
  const [round, setRound] = useState(0);
  useEffect(() => {
    let isGone = false;
    client.request({ type: "request_tcp_connections", host }).then(
      ({ connections }) => {
        if (isGone) return;
        setAnswer({ connections: byTraffic(connections), at: Date.now() });
        setProblem(null);
      },
      (error: unknown) => {
        if (!isGone) setProblem(messageOf(error));
      },
    );
    return () => {
      isGone = true;
    };
  }, [host, round]);
  const shown = filterByWords(answer?.connections ?? [], text, ({ process, pid, program, local, peer, peer_host }) =>
    [process, pid, program, local, peer, peer_host].join(" "),
  );
  return (
    <SidePanel label={`TCP connections of ${host}`} onClose={onClose}>
      {problem !== null && (
        <p class="why bad" role="alert">
          {problem}
        </p>
      )}
      <div class="tcp-filter">
        <input
          type="search"
          aria-label="Filter connections"
          placeholder="Filter connections"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <IconButton icon="restart" label="Refresh" onClick={() => setRound(round + 1)} />
        <span class="soft" aria-live="polite">
          {answer !== null && `${shown.length} at ${clockAt(answer.at)}`}
        </span>
      </div>
      <ul class="tcp-list">
        {shown.map((row) => (
          <li key={`${row.local} ${row.peer}`}>
            <span class="tcp-owner">
              <Owner row={row} host={host} />
            </span>
            <span class="tcp-peer">
              <span class="whole">→ {row.peer_host === null ? row.peer : `${row.peer_host} (${row.peer})`}</span>
              <span class="soft">from {row.local}</span>
            </span>
            <dl class="tcp-values">
              <Value term="Sent" text={bytesText(row.bytes_sent)} />
              <Value term="Received" text={bytesText(row.bytes_received)} />
              <Value term="Round trip" text={roundTripText(row.rtt_ms) || "–"} />
              <Value term="Resent" text={row.retransmits.toLocaleString("en-US")} />
            </dl>
          </li>
        ))}
      </ul>
      {answer === null && problem === null && <p class="empty nothing">Reading the connections…</p>}
      {answer !== null && shown.length === 0 && (
        <p class="empty nothing">{text === "" ? `${host} has no TCP connections.` : "No matches."}</p>
      )}
    </SidePanel>
  );
}

function Owner({ row: { process, pid, program }, host }: { row: TcpConnection; host: string }) {
  if (pid === null) return <span class="soft">owner not known (the daemon sees its own user's)</span>;
  const view = viewOfPid(host, pid);
  return (
    <>
      {process !== null && hasProcess(process) ? (
        <a class="member" {...linkTo({ kind: "process", name: process })}>
          {process}
        </a>
      ) : (
        <b>{program}</b>
      )}
      {view === null ? (
        <span>pid {pid}</span>
      ) : (
        <a class="member" {...linkTo(view)}>
          pid {pid}
        </a>
      )}
    </>
  );
}

function Value({ term, text }: { term: string; text: string }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{text}</dd>
    </div>
  );
}

const bytesOf = ({ bytes_sent, bytes_received }: TcpConnection) => bytes_sent + bytes_received;
const byTraffic = (rows: readonly TcpConnection[]) => rows.toSorted((one, other) => bytesOf(other) - bytesOf(one));
