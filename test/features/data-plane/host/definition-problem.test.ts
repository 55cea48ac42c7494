import { expect, it } from "vitest";
import { RegistryRig, register } from "../../../bus/registry/registry-rig.ts";

const STATE = { name: "arm/state", definition: "float64 x", definition_name: "arm/msg/State", encoding: "cdr", keep_last: false };

it("a definition that cannot be parsed is a problem in the answer and at the topic, which is reserved nevertheless", async () => {
  await using rig = await RegistryRig.start();
  const client = await rig.connect("driver");
  const topics = [
    STATE,
    { name: "arm/cdr", encoding: "cdr", definition: "NoSuch y" },
    { name: "arm/json", encoding: "json", definition: "not json" },
    { name: "arm/free", encoding: "json" },
  ];
  const answer = await register(client, { name: "driver", topics });
  const [cdr, json] = [/not a ROS 2 message: .*NoSuch/, /not a JSON Schema/];
  expect(answer).toMatchObject({
    ok: true,
    problems: [
      { topic: "arm/cdr", code: "bad_field", message: expect.stringMatching(cdr) },
      { topic: "arm/json", code: "bad_field", message: expect.stringMatching(json) },
    ],
  });
  const of = (name: string) => rig.topic(name)?.definition_problem;
  expect([of("arm/state"), of("arm/cdr"), of("arm/json"), of("arm/free")]).toEqual([
    null,
    expect.stringMatching(cdr),
    expect.stringMatching(json),
    null,
  ]);
  expect(rig.topic("arm/cdr")?.reserved).toBe(true);
  expect(await register(client, { name: "driver", topics: [{ ...topics[1], definition: "int32 y" }] })).toMatchObject({ problems: [] });
  expect(of("arm/cdr")).toBeNull();
});
