import { expect, it } from "vitest";
import { RegistryRig, register } from "./registry-rig.ts";

const topics = (prefix: string, count: number, definition = "") =>
  Array.from({ length: count }, (_, n) => ({ name: `${prefix}/${n}`, encoding: "raw", definition }));

it("a name whose subject has too many tokens is refused at registration, with both numbers", async () => {
  await using rig = await RegistryRig.start();
  const client = await rig.connect("one");
  const name = Array(63).fill("a").join("/");
  expect(await register(client, { name: "one", topics: [{ name, encoding: "raw" }] })).toMatchObject({
    ok: false,
    code: "bad_field",
    message: expect.stringContaining("has 63 parts between its '/'; at most 62 are allowed, because a subject has at most 64 tokens"),
  });
  const allowed = Array(62).fill("a").join("/");
  expect(await register(client, { name: "one", topics: [{ name: allowed, encoding: "raw" }] })).toMatchObject({ ok: true, problems: [] });
});

it("one program cannot use up all topics, whatever the number of its connections", async () => {
  await using rig = await RegistryRig.start();
  for (const [index, refused] of [0, 0, 500].entries()) {
    const client = await rig.connect(`${index}`, "greedy");
    const { problems } = await register(client, { name: `${index}`, topics: topics(`t${index}`, 1_000) });
    expect(problems).toHaveLength(refused);
    if (refused > 0) expect(problems).toContainEqual(expect.objectContaining({ code: "busy" }));
  }
});

it("the registrations of one program are bounded in bytes, and its other connections keep theirs", async () => {
  await using rig = await RegistryRig.start();
  const codes: unknown[] = [];
  for (let index = 0; index < 20; index++) {
    const client = await rig.connect(`${index}`, "greedy");
    codes.push((await register(client, { name: `${index}`, topics: topics(`t${index}`, 8, "d".repeat(120_000)) })).code);
  }
  expect(codes.filter((code) => code === undefined)).toHaveLength(17);
  expect(codes.slice(17)).toEqual(["busy", "busy", "busy"]);
  expect(rig.registry.tables().topics).toHaveLength(17 * 8);
});

it("a program that registers again and again is refused after thousands of registrations, and keeps its connection", async () => {
  await using rig = await RegistryRig.start();
  const client = await rig.connect("one");
  let answer = await register(client, { name: "one" });
  for (let count = 0; answer.ok === true && count < 100; count++) {
    const answers = await Promise.all(Array.from({ length: 500 }, () => register(client, { name: "one" })));
    answer = answers.at(-1) ?? {};
  }
  expect(answer).toMatchObject({ ok: false, code: "busy", message: expect.stringContaining("registers too often") });
  expect(client.isClosed()).toBe(false);
});
