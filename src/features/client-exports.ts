/** Exports of features in `mgr/client`, in Node and in browsers. */
export type { LoadHandle, LoadRange, LoadSample } from "./load-history/client/load-handle.ts";
export type { LoggerConfiguration, LoggerHandle } from "./loggers/client/logger-handle.ts";
export type { OutputSearchOptions, OutputSearchSummary } from "./output-search/client/search-output.ts";
export type { OutputHit } from "./output-search/wire.ts";
