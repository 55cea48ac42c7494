/** Channel of node:diagnostics_channel on which a program that stays says that it is up. Nobody has to listen. */
export const STARTED = "mgr.started";
