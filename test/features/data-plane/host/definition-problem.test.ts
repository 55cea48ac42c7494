import { expect, it } from "vitest";
import { definitionProblem } from "../../../../src/features/data-plane/samples/definition-problem.ts";
import { RegistryRig, register } from "../../../bus/registry/registry-rig.ts";
import { ARM_STATE_DESCRIPTORS } from "../arm-state-protobuf.ts";

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

it("a topic that names a message of Foxglove has its JSON Schema, also after its client registers again", async () => {
  await using rig = await RegistryRig.start();
  const client = await rig.connect("driver");
  const pose = { name: "arm/pose", encoding: "json", definition_name: "foxglove.PoseInFrame" };
  expect(await register(client, { name: "driver", topics: [pose] })).toMatchObject({ ok: true, problems: [] });
  const definition = () => rig.topic("arm/pose")?.definition ?? "";
  const text = definition();
  expect(JSON.parse(text)).toMatchObject({ title: "foxglove.PoseInFrame", required: ["timestamp", "frame_id", "pose"] });
  // The change by the first registration may not be announced yet.
  rig.registry.flush();
  // Its text is known before the check: a recording sees no other definition in between.
  const changes: (string | undefined)[] = [];
  const end = rig.registry.listen((all) => {
    for (const change of all) if (change.kind === "topic" && change.topic.name === "arm/pose") changes.push(change.topic.definition);
  });
  await register(client, { name: "driver", topics: [{ ...pose, keep_last: true }] });
  rig.registry.flush();
  end();
  expect(changes).toEqual([text]);
  // Without the name, it is any JSON.
  await register(client, { name: "driver", topics: [{ name: "arm/pose", encoding: "json" }] });
  expect(definition()).toBe("");
});

it("an unknown message of Foxglove is a problem that names a similar one", async () => {
  await using rig = await RegistryRig.start();
  const client = await rig.connect("driver");
  const topics = [{ name: "arm/pose", encoding: "json", definition_name: "foxglove.PoseInFrames" }];
  const message = expect.stringMatching(/no message 'foxglove.PoseInFrames'.*did you mean 'foxglove.PoseInFrame'.*JSON Schema/);
  expect(await register(client, { name: "driver", topics })).toMatchObject({ ok: true, problems: [{ code: "bad_field", message }] });
  expect(rig.topic("arm/pose")).toMatchObject({ definition: "", definition_problem: message });
});

it.each([
  ["of the message", ARM_STATE_DESCRIPTORS, "demo.ArmState", null],
  ["of a message in another one", ARM_STATE_DESCRIPTORS, "demo.ArmState.Joint", null],
  ["of another message", ARM_STATE_DESCRIPTORS, "demo.LegState", "it has demo.ArmState, demo.ArmState.Joint"],
  ["without a name", ARM_STATE_DESCRIPTORS, "", "name one of demo.ArmState, demo.ArmState.Joint"],
  ["that ends too early", ARM_STATE_DESCRIPTORS.subarray(0, 12), "demo.ArmState", "not a FileDescriptorSet"],
  ["that is no FileDescriptorSet", Buffer.from("float64 x, hello"), "demo.ArmState", "not a FileDescriptorSet"],
  ["that is not base64", "message ArmState {}", "demo.ArmState", "not base64"],
])("Protocol Buffers with a definition %s are checked", (_what, bytes, definitionName, says) => {
  const definition = typeof bytes === "string" ? bytes : Buffer.from(bytes).toString("base64");
  const problem = definitionProblem({ encoding: "protobuf", definition, definitionName });
  if (says === null) expect(problem).toBeNull();
  else expect(problem).toContain(says);
});
