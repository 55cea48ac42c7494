import { expect, test } from "vitest";
import { createManager } from "../../../../src/app/index.ts";

test("a manager in another program, and its host, refuse to replace that program", async () => {
  await using manager = await createManager({ processes: {} });
  const { hosts } = await manager.request({ type: "get_snapshot" });
  await expect(manager.request({ type: "upgrade_host", host: hosts[0] ?? "" })).rejects.toMatchObject({
    code: "forbidden",
    message: "this host is part of another program, which has to be started again",
  });
  await expect(manager.request({ type: "upgrade_host", host: "nowhere" })).rejects.toMatchObject({ code: "not_found" });
  expect(await manager.request({ type: "upgrade_manager" })).toMatchObject({
    to: null,
    problem: "it is in the foreground, or part of another program: start it again",
  });
});
