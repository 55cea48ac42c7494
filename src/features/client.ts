import type { NamedSubscription } from "../client/feature.ts";
import { Requester } from "../client/requests.ts";
import { TOPIC_SUBSCRIPTION } from "./data-plane/wire/topic.ts";
import { LoggerHandle } from "./loggers/client/logger-handle.ts";

/** The handles of features, as methods of every `Requester`: a connection or an embedded manager. */
export abstract class FeatureHandles extends Requester {
  /** A handle of a data logger, which need not exist yet: `configure` creates it. */
  logger(name: string): LoggerHandle {
    return new LoggerHandle(this, name);
  }
}

export const NAMED_SUBSCRIPTIONS: readonly NamedSubscription[] = [TOPIC_SUBSCRIPTION];
