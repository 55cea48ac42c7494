import { z } from "zod";
import { MgrError } from "../../../base/errors.ts";
import type { ManagerClient } from "../../../client/manager-client.ts";
import { LOG_LEVELS } from "../../../protocol/resources/log-level.ts";
import type { CrashReport } from "../../crash-reports/wire.ts";
import type { OutputHit } from "../../output-search/wire.ts";
import { plain } from "./processes.ts";
import { type Tool, tool } from "./tool.ts";

/** Lines of output that are shown with the reason of a failure. */
const LAST_LINES = 50;
const MAX_HITS = 200;
const MAX_ENTRIES = 500;

const name = z.string().min(1).max(255).describe("Name of a process.");
const names = z.array(name).max(100);

/** Tools that answer why something is as it is. */
export const DIAGNOSIS_TOOLS: readonly Tool[] = [
  tool({
    name: "why_did_it_fail",
    title: "Why a process failed",
    description:
      "The newest crash report of a process (exit, last output, backtrace, kernel messages, load before the end), and its state and last output now.",
    input: z.object({ name }),
    run: async (client, input) => {
      const process = await client.process(input.name).get();
      const output = plain(await client.process(input.name).output(LAST_LINES));
      return { process, output, crash: await newestCrash(client, input.name) };
    },
  }),
  tool({
    name: "search_output",
    title: "Search the output of processes",
    description: "Searches the terminals and log files of processes on all hosts, as grep does.",
    input: z.object({
      pattern: z.string().min(1).max(1_024),
      regex: z.boolean().describe("The pattern is a regular expression (RE2).").default(false),
      ignore_case: z.boolean().default(false),
      names: names.describe("Processes and groups. Default: all.").optional(),
      context: z.int().min(0).max(10).describe("Lines around each hit.").default(0),
      limit: z.int().min(1).max(MAX_HITS).default(50),
    }),
    run: async (client, { pattern, names: where, ...query }, signal) => {
      const search = client.searchOutput(pattern, { ...query, signal, ...(where === undefined ? {} : { names: where }) });
      const hits: OutputHit[] = [];
      for (;;) {
        const { done, value } = await search.next();
        if (done) return { hits, summary: value };
        hits.push(value);
      }
    },
  }),
  tool({
    name: "read_log",
    title: "The manager's log",
    description: "The newest entries of the manager's log: who started and stopped what, failures, hosts, configuration.",
    input: z.object({
      level: z.enum(LOG_LEVELS).describe("Lowest level.").default("info"),
      limit: z.int().min(1).max(MAX_ENTRIES).default(100),
    }),
    run: async (client, input) => ({ entries: (await client.request({ type: "request_logs", ...input })).entries }),
  }),
  tool({
    name: "read_load",
    title: "Processor time and memory of processes",
    description: "The newest figures of load of processes: processor time, memory, threads, files, disk.",
    input: z.object({ names: names.min(1) }),
    run: async (client, input) => {
      const { processes, away } = await client.request({ type: "request_newest_load", ...input });
      return { processes, hosts_away: away };
    },
  }),
];

async function newestCrash(client: ManagerClient, process: string): Promise<CrashReport | null> {
  try {
    return (await client.request({ type: "request_crash_report", name: process })).report;
  } catch (error) {
    if (error instanceof MgrError && error.code === "not_found") return null;
    throw error;
  }
}
