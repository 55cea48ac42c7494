import { EventRequester, type NamedSubscription } from "../client/feature.ts";
import { TOPIC_SUBSCRIPTION } from "./data-plane/wire/topic.ts";
import { LoadHandle } from "./load-history/client/load-handle.ts";
import { LOAD_SUBSCRIPTION } from "./load-history/wire.ts";
import { LoggerHandle } from "./loggers/client/logger-handle.ts";

/** The handles of features, as methods of every `EventRequester`: a connection or an embedded manager. */
export abstract class FeatureHandles extends EventRequester {
  /** A handle of a data logger, which need not exist yet: `configure` creates it. */
  logger(name: string): LoggerHandle {
    return new LoggerHandle(this, name);
  }

  /** What a process, or each process of a group, uses and used. */
  load(name: string): LoadHandle {
    return new LoadHandle(this, name);
  }
}

export const NAMED_SUBSCRIPTIONS: readonly NamedSubscription[] = [TOPIC_SUBSCRIPTION, LOAD_SUBSCRIPTION];
