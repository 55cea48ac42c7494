import type { Config } from "../../config/definition.ts";

/** Returns folders of this machine, beside the state folder, that a feature fills. */
export type DataFolders = (config: Config) => readonly string[];

let sources: readonly DataFolders[] = [];

/** Called by the program with those of its features, which cannot import one another's list. */
export function setDataFolders(all: readonly DataFolders[]): void {
  sources = all;
}

/** The folders that mgr fills with this configuration, the state folder first. */
export function dataFolders(config: Config): string[] {
  return [config.instance.state_dir, ...sources.flatMap((folders) => folders(config))];
}
