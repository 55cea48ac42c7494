import { cpuRanges } from "../../../../src/base/cpu-mask.ts";
import { clockOffsetText } from "../../../../src/client/shown/clock-offset.ts";
import { LISTED_THREADS, policyText } from "../../../../src/features/topic-latency/latency-words.ts";
import type { LatencyStage } from "../../../../src/features/topic-latency/wire.ts";
import { linkTo } from "../../state/navigation.ts";
import { viewOfPid, viewRefusal } from "../../state/views.ts";
import { msText } from "./path-figures.tsx";

/** The programs of all chains, with the scheduling of their threads during the measurement. */
export function Programs({ stages }: { stages: readonly LatencyStage[] }) {
  return (
    <>
      <h3>Scheduling during the measurement</h3>
      {stages.map((stage) => (
        <Program key={stage.topic} stage={stage} />
      ))}
    </>
  );
}

function Program({ stage }: { stage: LatencyStage }) {
  const { topic, client, host, threads } = stage;
  const clock = clockOffsetText(stage);
  return (
    <>
      <p class="latency-program">
        <b>{topic}</b>
        {client === null ? ": is not published now" : `: ${client} on ${host}`}
        {clock !== "same" && `, clock ${clock}`}
      </p>
      {threads.length > 0 && (
        <table class="latency-table" aria-label={`Threads of ${client}`}>
          <thead>
            <tr>
              <th scope="col">Thread</th>
              <th scope="col">Policy</th>
              <th scope="col">CPUs</th>
              <th scope="col">CPU %</th>
              <th scope="col" title="Time in which the thread was ready and waited for a CPU">
                Waited (ms)
              </th>
              <th scope="col" title="Times that the CPU was taken away from the thread">
                Preempted
              </th>
            </tr>
          </thead>
          <tbody>
            {threads.slice(0, LISTED_THREADS).map((thread) => (
              <tr key={thread.tid}>
                <th scope="row">
                  <Thread stage={stage} thread={thread} />
                </th>
                <td>{policyText(thread)}</td>
                <td>{cpuRanges(thread.affinity)}</td>
                <td>{thread.cpu_percent}</td>
                <td>{msText(thread.wait_ms)}</td>
                <td>{thread.involuntary.toLocaleString("en-US")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

/** A thread; it leads to its scheduling among the tasks of its host. */
function Thread({ stage: { host, pid }, thread: { tid, thread } }: { stage: LatencyStage; thread: LatencyStage["threads"][number] }) {
  const view = host === null || pid === null ? null : viewOfPid(host, pid, tid);
  const text = `${thread} ${tid}`;
  if (view === null || viewRefusal(view) !== null) return <>{text}</>;
  return (
    <a {...linkTo(view)} title="Details and scheduling of this thread">
      {text}
    </a>
  );
}
