import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  MAX_TOPIC_NAME_BYTES,
  subjectOfTopic,
  subjectTokens,
  topicNameProblem,
  topicOfSubject,
} from "../../../src/base/topics/topic-subject.ts";
import { anyText } from "../../support/any-text.ts";

interface Vectors {
  subjects: { name: string; subject: string }[];
  refused_names: string[];
  no_topic_subjects: string[];
  services: { name: string; endpoint: string; subject: string }[];
}
const vectors: Vectors = JSON.parse(readFileSync(new URL("../../../docs/client-vectors.json", import.meta.url), "utf8"));

const part = anyText({ minLength: 1, maxLength: 12 }).filter((text) => !text.includes("/"));
const name = fc
  .array(part, { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join("/"))
  .filter((text) => Buffer.byteLength(text) <= MAX_TOPIC_NAME_BYTES);

describe("subjects of topics", () => {
  it.each(vectors.subjects)("$name is $subject", ({ name, subject }) => {
    expect(subjectOfTopic(name)).toBe(subject);
    expect(topicOfSubject(subject)).toBe(name);
  });

  it.each(vectors.refused_names)("no topic is named %j", (name) => {
    expect(topicNameProblem(name)).toMatch(/^(is|has)/);
    expect(() => subjectOfTopic(name)).toThrow(expect.objectContaining({ code: "bad_field" }));
  });

  it("names are bounded in bytes and are valid Unicode", () => {
    expect(topicNameProblem("ö".repeat(127))).toBeNull();
    expect(topicNameProblem("ö".repeat(128))).toBe("has 256 bytes of UTF-8; at most 255 are allowed");
    expect(topicNameProblem("a\ud800")).toBe("is not valid Unicode");
    expect(topicNameProblem(Array(62).fill("a").join("/"))).toBeNull();
    expect(topicNameProblem(Array(63).fill("a").join("/"))).toMatch(/^has 63 parts between its '\/'; at most 62 are allowed/);
    expect(topicOfSubject(`topic.${"a".repeat(256)}`)).toBeNull();
  });

  it.each(vectors.no_topic_subjects)("%j is the subject of no topic", (subject) => {
    expect(topicOfSubject(subject)).toBeNull();
  });

  it("every name comes back from its subject, which every broker accepts", () => {
    fc.assert(
      fc.property(name, (name) => {
        const subject = subjectOfTopic(name);
        expect(subject).toMatch(/^topic(\.[A-Za-z0-9_%-]+)+$/);
        expect(topicOfSubject(subject)).toBe(name);
      }),
      { interruptAfterTimeLimit: 2_000 },
    );
  });

  it("a subject that has a topic is the subject of that topic, so two subjects never mean the same one", () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[a-z.%0-9A-F]{0,12}$/)).map((tokens) => `topic.${tokens}`);
    fc.assert(
      fc.property(text, (subject) => {
        const name = topicOfSubject(subject);
        if (name !== null) expect(subjectOfTopic(name)).toBe(subject);
      }),
      { interruptAfterTimeLimit: 2_000 },
    );
  });

  it.each(vectors.services)("endpoint $endpoint of service $name listens on $subject", ({ name, endpoint, subject }) => {
    expect(`svc.${subjectTokens(name)}.${endpoint}`).toBe(subject);
  });
});
