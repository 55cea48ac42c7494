import { z } from "zod";
import { objectName } from "../../protocol/frames/field-kinds.ts";
import { clientFrames, errorCode, managerFrames, result } from "../../protocol/frames/frame-table.ts";
import { affinity, policy, prio, taskFields, taskName } from "./task-fields.ts";

const topicName = objectName.describe("Name of a topic.");
const MAX_TASKS = 1_000;
const tasksSay = `must be an array of 1 to ${MAX_TASKS} tasks`;
const wantedTask = z.object(
  { ...taskName, policy: policy.exactOptional(), prio: prio.exactOptional(), affinity: affinity.exactOptional() },
  { error: "must be an object with host, pid and tid" },
);

export const topicSchedulingCommands = clientFrames("Topics", {
  request_topic_scheduling: {
    fields: { name: topicName },
    answer: "topic_scheduling",
    scope: "global",
    role: "viewer",
    readOnly: true,
    meaning: "The threads that publish and receive a topic, and how they are scheduled.",
  },
  apply_topic_scheduling: {
    fields: {
      name: topicName,
      tasks: z.array(wantedTask, { error: tasksSay }).min(1, { error: tasksSay }).max(MAX_TASKS, { error: tasksSay }),
    },
    answer: "topic_scheduling_result",
    scope: "global",
    role: "admin",
    meaning: "Changes how threads of a topic are scheduled.",
  },
});

const task = { host: z.string(), pid: z.int(), tid: z.int() };

export const topicSchedulingFrames = managerFrames("Topics", {
  topic_scheduling: result(
    { name: z.string() },
    {
      tasks: z.array(
        z.object({
          role: z.enum(["publisher", "subscriber"]),
          client_id: z.int(),
          client: z.string(),
          ...task,
          thread: z.string().describe("Name of the thread."),
          ...taskFields,
        }),
      ),
    },
    "How the threads of a topic are scheduled.",
  ),
  topic_scheduling_result: result(
    { name: z.string() },
    { tasks: z.array(z.object({ ...task, ok: z.boolean(), code: errorCode.exactOptional(), message: z.string().exactOptional() })) },
    "The result for each task.",
  ),
});
