import { appendFileSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { type Configuration, Instance } from "../support/instance.ts";
import { ECHO } from "../support/shell.ts";

// The example of docs/access.md, as it stands there, with a user of each kind.

const document = readFileSync(fileURLToPath(new URL("../../../docs/access.md", import.meta.url)), "utf8");
const [, example = ""] = /```yaml\n(.*?)```/s.exec(document) ?? [];

test("the example of docs/access.md gives each user what the document says", async () => {
  const { access } = parse(example) as Required<Pick<Configuration, "access">>;
  const processes = Object.fromEntries(["sim/world", "arm/left", "arm/right", "vision/eye"].map((name) => [name, { command: ECHO }]));
  await using instance = await Instance.up({ processes, access });
  for (const user of ["ann", "wall", "sam", "guest"]) appendFileSync(instance.authFile, `${user} secret of ${user}\n`);
  const basic = (user: string) => `Basic ${Buffer.from(`${user}:secret of ${user}`).toString("base64")}`;
  const seen = async (user: string) => {
    const { processes: shown } = await (await instance.connect("", basic(user))).snapshot();
    return (shown as { name: string }[]).map(({ name }) => name);
  };
  expect(await seen("guest")).toEqual(Object.keys(processes));
  expect(await seen("sam")).toEqual(["sim/world", "arm/left", "vision/eye"]);

  const sam = await instance.connect("", basic("sam"));
  await sam.command({ type: "start_process", name: "sim/world" });
  expect(await sam.ask({ type: "start_process", name: "arm/left" })).toMatchObject({
    code: "forbidden",
    message: "'start_process' needs the role operator on 'arm/left'.",
  });
  const output = (user: string, name: string) => instance.fetch(`/mgr/output?name=${name}`, { headers: { authorization: basic(user) } });
  expect((await output("sam", "arm/left")).status).toBe(200);
  expect((await output("sam", "arm/right")).status).toBe(403);
  expect((await output("wall", "arm/left")).status).toBe(403);
  expect((await output("ann", "arm/left")).status).toBe(200);
});
