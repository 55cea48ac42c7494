import { expect, it } from "vitest";
import { decodeFrame } from "../../../src/protocol/frames/decode.ts";
import { expectCount, expectSampleSeconds } from "../../protocol/counts.ts";

it("subscribe_topic.max_rate above its maximum is taken as the maximum, below 1 it is refused", () =>
  expectCount({ type: "subscribe_topic", name: "a" }, "max_rate", 60));

it("request_topics_stat.sample_seconds is any number from 0 on, kept between 0.1 and 60", () => expectSampleSeconds("request_topics_stat"));

it("deep nesting in values for services is answered", () => {
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  const decoded = decodeFrame(`{"type":"call_service","name":"a","endpoint":"b","request":${deep},"request_id":"r"}`);
  expect(decoded).toMatchObject({ ok: false, error: { code: expect.any(String), message: expect.stringMatching(/^.{5,600}$/su) } });
});
