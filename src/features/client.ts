import type { NamedSubscription } from "../client/feature.ts";
import { Requester } from "../client/requests.ts";
import { TOPIC_SUBSCRIPTION } from "./data-plane/topic-subscription.ts";
import { LoadHandle } from "./load-history/client/load-handle.ts";
import { LOAD_SUBSCRIPTION } from "./load-history/load-subscription.ts";
import { LoggerHandle } from "./loggers/client/logger-handle.ts";
import { type OutputSearchOptions, type OutputSearchSummary, searchOutput } from "./output-search/client/search-output.ts";
import type { OutputHit } from "./output-search/wire.ts";

/** The handles of features, as methods of every `Requester`: a connection or an embedded manager. */
export abstract class FeatureHandles extends Requester {
  /** A handle of a data logger, which need not exist yet: `configure` creates it. */
  logger(name: string): LoggerHandle {
    return new LoggerHandle(this, name);
  }

  /** Load of a process, or of each process of a group, now and in the past. */
  load(name: string): LoadHandle {
    return new LoadHandle(this, name);
  }

  /** Searches the output of processes on their hosts: yields hits as they are found and returns the summary (docs/output.md). */
  searchOutput(pattern: string, options?: OutputSearchOptions): AsyncGenerator<OutputHit, OutputSearchSummary, undefined> {
    return searchOutput(this, pattern, options);
  }
}

export const NAMED_SUBSCRIPTIONS: readonly NamedSubscription[] = [TOPIC_SUBSCRIPTION, LOAD_SUBSCRIPTION];
