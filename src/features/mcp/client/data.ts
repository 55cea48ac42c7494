import { z } from "zod";
import { compileFnmatch } from "../../../base/patterns/fnmatch.ts";
import type { Topic } from "../../data-plane/wire/topic.ts";
import { ANSWER_MARGIN_MS, DEFAULT_SECONDS, MAX_CHAIN } from "../../topic-latency/limits.ts";
import { type Tool, tool } from "./tool.ts";

const MAX_LISTED = 500;
/** Longest measurement, seconds: many clients end a request after 60 s. */
const MAX_MEASURED_SECONDS = 30;
const pattern = z.string().max(255).describe("A pattern with * ? and [a-z] of their names.").default("*");

/** Tools for topics, parameters and the configuration. */
export const DATA_TOOLS: readonly Tool[] = [
  tool({
    name: "list_topics",
    title: "Topics on the bus",
    description: "Topics with publisher, rate, subscribers, losses and problems.",
    input: z.object({ pattern, limit: z.int().min(1).max(MAX_LISTED).default(100) }),
    run: async (client, input) => {
      const matches = compileFnmatch(input.pattern);
      const { topics: all } = await client.request({ type: "request_topics" });
      const topics: readonly Topic[] = all.filter((each) => matches(each.name));
      return { total: topics.length, topics: topics.slice(0, input.limit) };
    },
  }),
  tool({
    name: "read_topic",
    title: "A topic and its last sample",
    description: "One topic: publisher, subscribers, message definition and the last sample that the manager has seen.",
    input: z.object({ name: z.string().min(1).max(255) }),
    run: async (client, input) => {
      const { type: _type, request_id: _id, ...detail } = await client.request({ type: "request_topic_detail", ...input });
      return detail;
    },
  }),
  tool({
    name: "measure_topic_latency",
    title: "Latency and jitter of a topic",
    description:
      "Measures the latency of a topic's messages and of each step of the chain that led to them, in milliseconds, beside the scheduling of the programs' threads. Takes as long as it measures.",
    input: z.object({
      name: z.string().min(1).max(255).describe("Name of the last topic of the chain."),
      chain: z
        .array(z.string().min(1).max(255))
        .min(1)
        .max(MAX_CHAIN)
        .describe("Only messages that these topics led to, in this order.")
        .optional(),
      sample_seconds: z.number().min(0.1).max(MAX_MEASURED_SECONDS).default(DEFAULT_SECONDS),
    }),
    run: async (client, { chain, sample_seconds, name }) => {
      const {
        type: _type,
        request_id: _id,
        ok: _ok,
        ...measured
      } = await client.request(
        { type: "measure_topic_latency", name, sample_seconds, ...(chain === undefined ? {} : { chain }) },
        { timeout: sample_seconds * 1_000 + ANSWER_MARGIN_MS },
      );
      return measured;
    },
  }),
  tool({
    name: "list_parameters",
    title: "Parameters of programs",
    description: "Parameters with their values, limits and overrides, as their programs answer.",
    input: z.object({ pattern }),
    run: async (client, input) => {
      const { parameters, errors } = await client.request({ type: "request_parameters", ...input });
      return { parameters, errors };
    },
  }),
  tool({
    name: "plan_reload",
    title: "What a reload would do",
    description:
      "Checks the configuration file as it is on disk, and says what a reload would add, remove, stop and start. Changes nothing. Needs the role admin.",
    input: z.object({}),
    run: async (client) => {
      const { type: _type, request_id: _id, ...plan } = await client.request({ type: "request_plan" });
      return plan;
    },
  }),
];
