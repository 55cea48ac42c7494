import { z } from "zod";
import { groupName } from "../frames/field-kinds.ts";
import { clientFrames, event, managerFrames } from "../frames/frame-table.ts";
import { processState } from "../process/process.ts";
import type { ProcessState } from "../process/process-state.ts";

/** A group with its members in configuration order. */
export interface GroupNode {
  type: "group";
  name: string;
  display_name: string;
  /** Whether a UI shows it unfolded at first. */
  opened: boolean;
  /** Worst state of its members, as of this frame. */
  state: ProcessState;
  children: ProcessTreeNode[];
}

export interface ProcessNode {
  type: "process";
  name: string;
}

export type ProcessTreeNode = GroupNode | ProcessNode;

export const processTreeNode: z.ZodType<ProcessTreeNode> = z
  .lazy(() => z.discriminatedUnion("type", [groupNode, processNode]))
  .meta({ id: "ProcessTreeNode", description: "A group with its members, or a process." });

const processNode = z.object({ type: z.literal("process"), name: z.string() });

const groupNode = z.object({
  type: z.literal("group"),
  name: z.string(),
  display_name: z.string(),
  opened: z.boolean().describe("Whether a UI shows it unfolded at first."),
  state: processState.describe("Worst of its members: error, backoff, stopping, starting, waiting, started, ready, stopped."),
  children: z.array(processTreeNode),
});

const onlyName = { name: groupName };

export const groupCommands = clientFrames("Groups", {
  start_group: {
    fields: onlyName,
    answer: null,
    scope: "name",
    role: "operator",
    meaning: "Starts all processes of a group, of all levels.",
  },
  stop_group: {
    fields: onlyName,
    answer: null,
    scope: "name",
    role: "operator",
    meaning: "Stops all processes of a group, of all levels.",
  },
  restart_group: {
    fields: onlyName,
    answer: null,
    scope: "name",
    role: "operator",
    meaning: "Restarts all processes of a group, of all levels.",
  },
});

export const treeEvents = managerFrames("Groups", {
  process_tree: event({ process_tree: z.array(processTreeNode).describe("Root nodes.") }, "The tree's shape changed."),
});
