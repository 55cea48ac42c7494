import { stripVTControlCharacters } from "node:util";
import { z } from "zod";
import { compileFnmatch } from "../../../base/patterns/fnmatch.ts";
import { isWithin } from "../../../base/text/names.ts";
import type { ManagerClient } from "../../../client/manager-client.ts";
import type { Process } from "../../../protocol/resources/resources.ts";
import type { End } from "./confirmation.ts";
import { type Question, type Tool, tool } from "./tool.ts";

const MAX_LISTED = 500;
export const MAX_LINES = 2_000;
/** Time for a start, stop or restart, milliseconds. */
const PATIENCE_MS = 120_000;

const name = z.string().min(1).max(255).describe("Name of a process, such as sim/camera.");

export const PROCESS_TOOLS: readonly Tool[] = [
  tool({
    name: "list_processes",
    title: "Processes and their states",
    description: "Lists supervised processes with state, host, pid, restarts and the reason of the last end. Start here to see what fails.",
    input: z.object({
      pattern: z.string().max(255).describe("A name, a group, or a pattern with * ? and [a-z]. Default: all.").optional(),
      state: z.string().max(32).describe("Only those in this state, such as error, backoff or stopped.").optional(),
      limit: z.int().min(1).max(MAX_LISTED).describe(`Most processes, at most ${MAX_LISTED}.`).default(100),
    }),
    run: async (client, { pattern, state, limit }) => {
      const { processes, manager } = await client.snapshot();
      const matches = pattern === undefined ? () => true : matcher(pattern);
      const found = processes.filter((each) => matches(each.name) && (state === undefined || each.state === state));
      return { instance: manager.name, total: found.length, processes: found.slice(0, limit).map(inShort) };
    },
  }),
  tool({
    name: "get_process",
    title: "A process in detail",
    description: "State, command, definition, dependencies, history of runs and start-up facts of one process.",
    input: z.object({ name }),
    run: async (client, input) => {
      const process = await client.process(input.name).get();
      const { history, needed_by, changes, definition } = await client.request({ type: "request_process_detail", ...input });
      // Variables often hold secrets, which no model needs.
      const { environment: _secret, ...rest } = definition;
      return { process, history, needed_by, changes, definition: rest };
    },
  }),
  tool({
    name: "read_output",
    title: "The last output of a process",
    description: "The last lines of a process's terminal as plain text.",
    input: z.object({ name, lines: z.int().min(1).max(MAX_LINES).default(100) }),
    run: async (client, input) => ({ name: input.name, output: plain(await client.process(input.name).output(input.lines)) }),
  }),
  tool({
    name: "start_process",
    title: "Start a process",
    description: "Starts a process and what it depends on, and waits until it is up.",
    input: z.object({ name }),
    changes: true,
    run: async (client, input, signal) => inShort(await client.process(input.name).start({ timeout: PATIENCE_MS, signal })),
  }),
  tool({
    name: "stop_process",
    title: "Stop a process",
    description: "Stops a process and those that need it, and waits until nothing of it is left. A person is asked first.",
    input: z.object({ name }),
    changes: true,
    question: (client, input) => ending(client, input.name, "stop"),
    run: async (client, input, signal) => inShort(await client.process(input.name).stop({ timeout: PATIENCE_MS, signal })),
  }),
  tool({
    name: "restart_process",
    title: "Restart a process",
    description: "Ends the run of a process and starts it again, and waits until it is up. A person is asked first.",
    input: z.object({ name }),
    changes: true,
    question: (client, input) => ending(client, input.name, "restart"),
    run: async (client, input, signal) => inShort(await client.process(input.name).restart({ timeout: PATIENCE_MS, signal })),
  }),
];

/** The question names the run, so that a confirmation does not end a later one. */
async function ending(client: ManagerClient, name: string, action: End["action"]): Promise<Question> {
  const { host, pid, state } = await client.process(name).get();
  const run = pid === null ? state : `${state}, pid ${pid}`;
  return { text: `${action === "stop" ? "Stop" : "Restart"} '${name}' on '${host}' (${run})?`, end: { action, name, pid } };
}

function matcher(pattern: string): (name: string) => boolean {
  const matches = compileFnmatch(pattern);
  return (each) => matches(each) || isWithin(each, pattern);
}

function inShort(process: Process): object {
  const { name, state, requested_state, host, pid, start_time, stop_time, exit, restarts, waiting_for } = process;
  return { name, state, requested_state, host, pid, start_time, stop_time, exit, restarts, waiting_for };
}

export function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll("\r", "");
}
