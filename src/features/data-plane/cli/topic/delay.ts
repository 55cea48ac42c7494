import { hostname } from "node:os";
import { visible } from "../../../../base/text/visible-text.ts";
import { subjectOfTopic } from "../../../../base/topics/topic-subject.ts";
import { CommandFailure, EXIT } from "../../../../cli/command/exit-codes.ts";
import { withManager } from "../../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../../cli/manager/connection-target.ts";
import { jsonText, table } from "../../../../cli/output/table.ts";
import { marksOf } from "../../client/loss-counter.ts";
import { wallClockNs } from "../../wall-clock.ts";
import { connectPlain, needBusAddress } from "./bus.ts";
import { type DelaySummary, Delays } from "./delays.ts";
import { awaitedTopic } from "./find-topic.ts";
import { UntilEnd } from "./until-end.ts";

export interface DelayFlags extends ConnectionFlags {
  once?: boolean;
  json?: boolean;
  /** Time-out in seconds. */
  timeout?: number;
  window: number;
}

/** `mgr topic delay NAME`: measures the time from publishing to arrival at this command, by the publisher's own time stamps. */
export async function topicDelay(name: string, flags: DelayFlags): Promise<void> {
  const address = await needBusAddress(flags, "mgr topic delay");
  await withManager(flags, async (manager) => {
    const publisher_host = (await awaitedTopic(manager, name))?.publisher_host;
    const hosts = (await manager.snapshot()).host_list;
    const own = hosts.find(({ all_names }) => all_names.includes(hostname()))?.name ?? hostname();
    if (publisher_host !== undefined && publisher_host !== own)
      process.stderr.write(
        `mgr: ${visible(name)} is published on ${visible(publisher_host)}: the delay includes the difference of the clocks\n`,
      );
  });
  await measure(address, name, flags);
}

async function measure(address: string, name: string, flags: DelayFlags): Promise<void> {
  const end = new UntilEnd(name, flags.timeout);
  // The bare bus is used because decoding would be measured, too.
  const bus = await connectPlain(address, "mgr topic delay");
  const delays = new Delays();
  bus.subscribe(subjectOfTopic(name), ({ headers }) => {
    const now = wallClockNs();
    const { time, isLast } = marksOf(headers);
    // A message that was kept for new subscribers was published earlier.
    if (isLast) return;
    end.came();
    if (time === null)
      end.fail(new CommandFailure(EXIT.failed, `the messages of '${name}' do not say when they were published (header Mgr-Time)`));
    else delays.add(Number(now - time));
  });
  const timer = setInterval(() => {
    const summary = delays.take();
    if (summary === null) return;
    process.stdout.write(delayText(summary, flags.json ?? false));
    if (flags.once) end.stop();
  }, flags.window * 1_000);
  try {
    await end.wait();
  } finally {
    clearInterval(timer);
    await bus.close();
  }
}

export function delayText(summary: DelaySummary, json: boolean): string {
  if (json) return `${jsonText(summary, { oneLine: true })}\n`;
  const milliseconds = (title: string, pick: (row: DelaySummary) => number) => ({
    title,
    text: (row: DelaySummary) => `${pick(row).toFixed(3)} ms`,
    right: true,
  });
  return `${table<DelaySummary>(
    [
      { title: "MESSAGES", text: ({ messages }) => String(messages), right: true },
      milliseconds("MEAN", ({ mean_ms }) => mean_ms),
      milliseconds("MIN", ({ min_ms }) => min_ms),
      milliseconds("P50", ({ p50_ms }) => p50_ms),
      milliseconds("P99", ({ p99_ms }) => p99_ms),
      milliseconds("MAX", ({ max_ms }) => max_ms),
    ],
    [summary],
  )}\n`;
}
