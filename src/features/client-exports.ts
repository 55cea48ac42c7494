/** Exports of features in `mgr/client`, in Node and in browsers. */
export type { LoadHandle, LoadRange, LoadSample } from "./load-history/client/load-handle.ts";
export type { LoggerConfiguration, LoggerHandle } from "./loggers/client/logger-handle.ts";
