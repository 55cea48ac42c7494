import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Instance } from "../support/instance.ts";

test("mgr completion names lists what the manager has, and nothing without one; mgr doctor checks the same instance", async () => {
  await using instance = await Instance.up({ processes: { "sim/world": { command: "sleep 1000" }, lone: { command: "sleep 1000" } } });
  await instance.mgr("logger", "configure", "arm", "arm/state");
  const names = async (...args: string[]) => (await instance.run("completion", "names", ...args, "-c", instance.config)).stdout;
  expect(await names("process", "group")).toBe("lone\tstopped\nsim\tgroup\nsim/world\tstopped\n");
  expect(await names("logger", "recording", "topic", "service", "parameter")).toBe("arm\t\n");
  expect(await names("process", "--prefix", "lo")).toBe("lone\tstopped\n");
  // The port, as a web user.
  instance.extra.MGR_WEBUI_AUTH_FILE = instance.authFile;
  expect(await names("process", "--prefix", "lo", "--url", instance.url)).toBe("lone\tstopped\n");

  const findings = async (code: number) => {
    const outcome = await instance.run("doctor", "--json", "-c", instance.config);
    expect(outcome, outcome.stdout).toMatchObject({ code });
    return JSON.parse(outcome.stdout) as { check: string; level: string; found: string }[];
  };
  expect(await findings(0)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ check: "port", level: "ok" }),
      expect.objectContaining({
        check: expect.stringMatching(/^host /),
        level: "ok",
        found: expect.stringContaining("connected, version "),
      }),
    ]),
  );

  await instance.mgr("down");
  const none = await instance.run("completion", "names", "process", "-c", instance.config);
  expect(none).toMatchObject({ code: 0, stdout: "", stderr: "" });
  writeFileSync(instance.config, "processes: {a: {nonsense: 1}}\n");
  expect(await findings(1)).toContainEqual(expect.objectContaining({ check: "configuration", level: "error" }));
});
