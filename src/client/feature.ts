import type { ClientFrameType } from "../protocol/frames/frames.ts";

/**
 * A subscription of a feature. The manager forgets it with the connection, so the newest frame of each name is sent again after a
 * reconnect.
 */
export interface NamedSubscription {
  readonly begin: ClientFrameType;
  readonly end: ClientFrameType;
}
