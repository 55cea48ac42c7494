/** What `mgr/client` exports of features, in Node and in browsers. */
export type { LoggerConfiguration, LoggerHandle } from "./loggers/client/logger-handle.ts";
