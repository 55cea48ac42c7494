import { expect, test } from "vitest";
import { ManagerClient } from "../../../../src/client/manager-client.ts";
import { FakeLink } from "../../../client/support/fake-link.ts";

test("topics that the program subscribed by frames of its own are subscribed again after a reconnect", async () => {
  const link = new FakeLink();
  const client = new ManagerClient(link);
  client.send({ type: "subscribe_process_output", patterns: ["a*"] });
  client.send({ type: "set_log_min_level", level: "debug" });
  client.send({ type: "subscribe_topic", name: "s" });
  client.send({ type: "subscribe_topic", name: "t" });
  client.send({ type: "subscribe_topic", name: "t", max_rate: 5 });
  const refused = client.request({ type: "subscribe_topic", name: "u" });
  link.say({ type: "error", code: "not_found", message: "no", request_id: 1 });
  await expect(refused).rejects.toMatchObject({ code: "not_found" });
  client.send({ type: "unsubscribe_topic", name: "s" });
  link.lose();
  link.sent.length = 0;
  link.state$.next({ kind: "open" });
  expect(link.sent).toEqual([
    { type: "subscribe_process_output", patterns: ["a*"] },
    { type: "subscribe_topic", name: "t", max_rate: 5 },
    { type: "set_log_min_level", level: "debug" },
  ]);
});
