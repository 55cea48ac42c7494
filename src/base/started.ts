/** Channel of node:diagnostics_channel on which a long-running program publishes that it is up. It works without a subscriber. */
export const STARTED = "mgr.started";
