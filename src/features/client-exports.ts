/** Exports of features in `mgr/client`, in Node and in browsers. */
export type { LoggerConfiguration, LoggerHandle } from "./loggers/client/logger-handle.ts";
