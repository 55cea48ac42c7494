import { expect, test } from "vitest";
import { namesOf, requestedTopics } from "../../../../src/features/loggers/cli/configure.ts";

const PUBLISHED = ["arm/state", "arm/[odd]", "camera/left"];

test("patterns match published topics, and names also others", () => {
  expect(namesOf(["arm/*", "arm/state", "later"], PUBLISHED)).toEqual(["arm/state", "arm/[odd]", "later"]);
  // A name may contain pattern characters.
  expect(namesOf(["arm/[odd]"], PUBLISHED)).toEqual(["arm/[odd]"]);
  expect(() => namesOf(["radar/*"], PUBLISHED)).toThrow("'radar/*' matches no topic that is published");
  expect(() => namesOf(["a//b"], PUBLISHED)).toThrow();
});

test("--add keeps the other topics, and changes the named ones", () => {
  const topic = { log_size: 10, divisor: 2, only_ts: false, enabled: false, active: false, n_samples: 0, md_name: "", port: "" };
  const before = {
    name: "arm",
    enabled: false,
    active_topics: [],
    topics: [
      { ...topic, name: "a" },
      { ...topic, name: "b" },
      { ...topic, name: "b", port: "rt2:b" },
      { ...topic, name: "a", port: "rt2:a" },
    ],
  };
  const added = [
    { name: "a", log_size: 10, divisor: 2 },
    { name: "b", log_size: 500, divisor: 1 },
    { name: "c", log_size: 500, divisor: 1 },
  ];
  expect(requestedTopics(["b", "c"], { logSize: 500, divisor: 1, add: true }, before)).toEqual(added);
  expect(requestedTopics(["b", "c"], { logSize: 500, divisor: 1 }, before)).toEqual(added.slice(1));
});
