import type { Command } from "commander";
import type { ManagerClient } from "../../client/manager-client.ts";
import type { Config } from "../../config/definition.ts";
import type { ManagerFrame } from "../../protocol/frames/frames.ts";
import type { HostEntry, Process, Snapshot } from "../../protocol/resources/resources.ts";
import type { Column } from "../output/table.ts";
import type { AbsenceSource } from "./absence-sources.ts";
import type { DataFolders } from "./data-folders.ts";

/** The help of a command beyond its options. */
export interface Page {
  /** Sentences beyond the one line of the list. */
  readonly about: string;
  /** Command lines with their purpose. */
  readonly examples: readonly (readonly [line: string, purpose: string])[];
  /** Form of the output of `--json`. */
  readonly json?: string;
  /** Exit codes beyond the common ones. */
  readonly exitCodes?: string;
  /**
   * Completion of the values of arguments, by their name (`names`), and of options (`--topic`). Values that are called FILE or FOLDER are completed
   * as such without being listed here, choices of an option too.
   */
  readonly completes?: Readonly<Record<string, Completion>>;
}

/** Kinds of objects whose names the manager lists (`GET /mgr/names`), or fixed words. */
export type Completion = readonly string[] | { readonly words: readonly string[] };

/** Manual pages by the words of a command: "topic list". */
export type Pages = Readonly<Record<string, Page>>;

/** Commands that are listed together. */
export interface CommandGroup {
  /** Adds the commands to the program. Each loads its code when it is run, so that the others start fast. */
  readonly add: (program: Command) => void;
  /** The page of each of the commands. */
  readonly pages: Pages;
}

/** Columns of a list, and fields of each of its rows in its JSON. */
interface Figures<Row> {
  readonly columns: readonly Column<Row>[];
  readonly json: (row: Row) => object;
}
export type ProcessFigures = Figures<Process>;
export type HostFigures = Figures<HostEntry>;

/** Columns of `mgr hosts`. */
export interface HostFiguresSource {
  /** What they are, and fields with `--json`, for the manual. */
  readonly about: string;
  /** Resolves with null if there is nothing to show. Never rejects. */
  readonly read: (client: Pick<ManagerClient, "request">) => Promise<HostFigures | null>;
}

/** Columns of `mgr ps` that are shown if an option of this name is given. */
export interface ProcessFiguresOption {
  readonly option: string;
  readonly meaning: string;
  /** Never rejects. */
  readonly of: (client: Pick<ManagerClient, "request">) => Promise<ProcessFigures>;
}

/** A column of `mgr top`: a short curve for each process, by its name. */
export interface ProcessTrend {
  readonly title: string;
  readonly of: (client: Pick<ManagerClient, "request">) => Promise<ReadonlyMap<string, string>>;
}

/** Makes a first configuration from files of other process managers. */
export interface ConfigurationImporter {
  /** The files and folders in a folder that can be imported. */
  readonly find: (folder: string) => Promise<readonly string[]>;
  /** The sections of a configuration at the path `target`, without `instance`. Prints a report to stderr. Throws CommandFailure. */
  readonly sections: (path: string, target: string) => Promise<string>;
}

/** Words that select processes beside their names, in commands that take several. */
export interface ProcessSelector {
  /** What the words begin with, such as `tag:`. */
  readonly prefix: string;
  /** Names of the selected processes. Throws CommandFailure if there are none. */
  readonly select: (snapshot: Snapshot, word: string) => readonly string[];
  /** The same of a configuration whose manager does not run. */
  readonly selectConfigured: (config: Config, word: string) => readonly string[];
}

/** Another way to carry out `mgr restart`, chosen by an option. */
export interface RestartWay {
  readonly option: string;
  readonly meaning: string;
  /** Restarts these processes and prints the result, unless `wait` is false. `timeout` is in seconds. Throws CommandFailure. */
  readonly restart: (
    client: ManagerClient,
    names: readonly string[],
    flags: { readonly wait: boolean; readonly timeout: number },
  ) => Promise<void>;
}

/** Additions of a feature to the command line; `src/features/cli.ts` lists the features. */
export interface CliFeature {
  /** Commands that are listed after those about processes. */
  readonly processCommands?: CommandGroup;
  /** Groups such as `mgr topic`, which are left out when another command is run. */
  readonly groups?: readonly CommandGroup[];
  readonly processFigures?: ProcessFiguresOption;
  /** Columns of `mgr ps` that need no option; none for a snapshot that has nothing for them. */
  readonly snapshotFigures?: (snapshot: Snapshot) => ProcessFigures;
  readonly hostFigures?: HostFiguresSource;
  readonly trend?: ProcessTrend;
  readonly selector?: ProcessSelector;
  readonly restartWay?: RestartWay;
  /** Remarks on processes in `mgr ps`, by name: why they need attention although their state is good. */
  readonly processRemarks?: (snapshot: Snapshot) => ReadonlyMap<string, string>;
  /** Whether a frame of the manager rings the bell of the terminal with `mgr top`. */
  readonly ringsBell?: (frame: ManagerFrame) => boolean;
  /** The facts that are known about a manager that does not run. */
  readonly managerAbsence?: AbsenceSource;
  /** Folders of this machine, beside the state folder, that the feature fills. */
  readonly dataFolders?: DataFolders;
  /** What `mgr init` offers to import. */
  readonly importer?: ConfigurationImporter;
  /** Returns remarks of `mgr up` about a manager that runs already, such as that its version is another one. Never rejects. */
  readonly runningNotes?: (client: Pick<ManagerClient, "request" | "snapshot">) => Promise<readonly string[]>;
  /** Notes of `mgr check` about a configuration that is valid. */
  readonly configurationNotes?: (config: Config) => Promise<readonly string[]>;
}
