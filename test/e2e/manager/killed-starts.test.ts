import { expect, test } from "vitest";
import type { Frame, ProcessView } from "../support/client.ts";
import { Instance } from "../support/instance.ts";
import { savedIntents } from "../support/intent-file.ts";
import { isAlive } from "../support/marked.ts";
import { eventually } from "../support/wait.ts";

const NAMES = Array.from({ length: 100 }, (_, index) => `many/p${index}`);
/** Requests without an answer: each answer brings the next one, so that there are many saves. */
const UNANSWERED = 5;

test.each([1, 10, 60])(
  "starts that were acknowledged are carried out by the next manager, if this one is killed at answer %d of many",
  async (last) => {
    await using instance = new Instance({ processes: Object.fromEntries(NAMES.map((name) => [name, { command: ["sleep", "1000"] }])) });
    await instance.mgr("up", "--detach");
    const client = await instance.connect();
    const unsent = [...NAMES];
    const send = () => {
      const name = unsent.shift();
      if (name !== undefined) client.send({ type: "start_process", name, request_id: name });
    };
    const acknowledged = new Set<string>();
    let killed: number | null = null;
    client.ws.on("message", (data) => {
      const { type, request_id } = JSON.parse(String(data)) as Frame;
      if (type !== "ack") return;
      acknowledged.add(String(request_id));
      if (acknowledged.size < last) send();
      else killed ??= instance.kill("manager");
    });
    for (let n = 0; n < UNANSWERED; n++) send();
    await client.closed;
    await eventually("the manager is dead", () => killed !== null && !isAlive(killed));

    const saved = await savedIntents(instance.stateDir);
    for (const name of acknowledged) expect(saved[name], name).toMatchObject({ requested_state: "start" });
    await instance.mgr("up", "--detach");
    const next = await instance.connect();
    await eventually("all that was acknowledged runs", async () => {
      const processes = (await next.snapshot()).processes as ProcessView[];
      return processes.every(({ name, state }) => state === "started" || !acknowledged.has(name));
    });
    await instance.mgr("down");
    expect(instance.living()).toEqual([]);
  },
);
