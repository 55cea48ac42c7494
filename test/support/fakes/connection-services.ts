import { systemClock } from "../../../src/base/timing/clock.ts";
import { LogBook } from "../../../src/log/log-book.ts";
import { EncodedProcesses } from "../../../src/protocol/frames/encoded-processes.ts";
import { Audiences } from "../../../src/transport/audience.ts";
import type { ConnectionServices } from "../../../src/transport/connection.ts";
import { createDispatch } from "../../../src/transport/dispatch.ts";
import { EventStreams } from "../../../src/transport/event-streams.ts";
import { transportExtensions } from "../../../src/transport/extension.ts";
import { LogStreams } from "../../../src/transport/log-streams.ts";
import { NewsSchedule } from "../../../src/transport/news-schedule.ts";
import { InputOwners } from "../../../src/transport/output/input-owners.ts";
import { OutputHub } from "../../../src/transport/output/output-hub.ts";
import { RefusalLog } from "../../../src/transport/refusal-log.ts";
import type { FakeControl } from "./fake-control.ts";

/** Services that connections to a manager without machines share; the test closes `hub`. Refusals are not logged. */
export function connectionServices(control: FakeControl): ConnectionServices & { readonly events: EventStreams } {
  const hub = new OutputHub({ clock: systemClock, source: { window() {}, hostOf: () => "testhost" } });
  const extensions = transportExtensions(control.extensions);
  const events = new EventStreams(control, (name) => hub.flush(name), extensions);
  const logs = new LogStreams(control.log);
  return {
    control,
    hub,
    events,
    logs,
    audiences: new Audiences(events, logs),
    news: new NewsSchedule(),
    refusals: new RefusalLog(new LogBook({ capacity: 1, now: () => 0 }), systemClock),
    inputOwners: new InputOwners(),
    snapshotParts: extensions,
    encodedProcesses: new EncodedProcesses(),
    dispatch: createDispatch(extensions),
    observer: null,
    assetHash: "hash",
  };
}
