import type { Observable } from "rxjs";
import type { ClientFrameType, ManagerFrame } from "../protocol/frames/frames.ts";
import { Requester } from "./requests.ts";

/**
 * A subscription of a feature. The manager forgets it with the connection, so the newest frame of each name is sent again after a
 * reconnect.
 */
export interface NamedSubscription {
  readonly begin: ClientFrameType;
  readonly end: ClientFrameType;
}

/** What the handles of features need of a connection. */
export abstract class EventRequester extends Requester {
  /** The frames that answer no request of this client. */
  abstract readonly events$: Observable<ManagerFrame>;
}
