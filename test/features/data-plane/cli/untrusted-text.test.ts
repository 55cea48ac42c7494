import { expect, test } from "vitest";
import { INITIAL as SCOPE } from "../../../../src/features/data-plane/cli/oscilloscope/model.ts";
import { picture as scopePicture } from "../../../../src/features/data-plane/cli/oscilloscope/picture.ts";
import { TraceBuffer } from "../../../../src/features/data-plane/cli/oscilloscope/trace-buffer.ts";
import { diffText } from "../../../../src/features/data-plane/cli/param/file.ts";
import { listing as parameterListing } from "../../../../src/features/data-plane/cli/param/list.ts";
import { changeText } from "../../../../src/features/data-plane/cli/param/set.ts";
import { infoText as serviceInfo } from "../../../../src/features/data-plane/cli/service/info.ts";
import { listing as serviceListing } from "../../../../src/features/data-plane/cli/service/list.ts";
import { formatOf } from "../../../../src/features/data-plane/cli/topic/echo.ts";
import { infoText as topicInfo } from "../../../../src/features/data-plane/cli/topic/info.ts";
import { listing as topicListing } from "../../../../src/features/data-plane/cli/topic/list.ts";
import { measured } from "../../../../src/features/data-plane/cli/topic/rates.ts";
import { traceText } from "../../../../src/features/data-plane/cli/topic/why.ts";
import type { TraceStep } from "../../../../src/features/data-plane/wire/topic-trace.ts";
import { describeUntrustedText, type Places, writesOf } from "../../../support/suites/untrusted-text-suite.ts";
import { fakeParameter, fakeService, fakeTopic } from "../fake-data.ts";

const detail = (text: string) => ({
  topic: fakeTopic(text, { message_definition: text }),
  publisher: { client_id: 1, client: text, host: text },
  subscribers: [{ client_id: 2, client: text, host: text }],
  definition: text,
  encoding: text,
  keep_last: true,
  priority: 1,
  max_age_ms: 1,
  reliable_within: 1,
  kept_dropped: 1,
  last_sample: { ts: text, value: text },
});
const sample = (text: string) => ({ value: { text, [text]: text }, time: 1n, seq: 1 });
const hostileStep = (text: string): TraceStep => ({
  kind: "subscriber",
  name: text,
  host: text,
  messages: 1,
  rate: 1,
  last_age_ms: 1,
  waiting: 1,
  dropped: 1,
  definition: text,
  note: text,
  problem: text,
  advice: text,
});
const hostileService = (text: string) =>
  fakeService(text, {
    provider: text,
    provider_host: text,
    interface: JSON.stringify({ name: text, endpoints: { [text]: { description: text, request: { [text]: text } } } }),
  });

/** Every place that prints untrusted text, and what it prints. */
const PLACES: Places = {
  "mgr topic list": (text) => topicListing([fakeTopic(text, { publisher: text, publisher_host: text, message_definition: text })]),
  "mgr topic info": (text) => topicInfo(detail(text)),
  "mgr topic info of a JSON Schema": (text) =>
    topicInfo({ ...detail(text), encoding: "json", definition: JSON.stringify({ [text]: text }) }),
  "mgr topic echo": (text) => formatOf({})(sample(text)),
  "mgr topic echo --csv": (text) => formatOf({ csv: true })(sample(text)),
  "mgr topic echo --json": (text) => formatOf({ json: true })(sample(text)),
  "mgr topic echo --field": (text) => formatOf({ field: "text" })(sample(text)),
  "mgr topic hz": (text) =>
    measured("hz", { sample_seconds: 1, topics: [{ name: text, rate: 1, bytes_s: 1, packets: 1, limits: [] }] }, { once: true }),
  "mgr topic why": (text) => traceText([{ ...hostileStep(text), kind: "publisher" }, hostileStep(text)], 1),
  "mgr service list": (text) => serviceListing([hostileService(text)]),
  "mgr service info": (text) => serviceInfo(hostileService(text)),
  "mgr param list": (text) =>
    parameterListing([
      fakeParameter(text, {
        service: text,
        type: text,
        unit: text,
        description: text,
        input: text,
        output: text,
        override_value: text,
        override_enabled: true,
      }),
    ]),
  "mgr param set": (text) => changeText(fakeParameter(text), text),
  "mgr param diff": (text) => diffText([{ parameter: text, file: text, now: text }]),
  "mgr scope": (text) =>
    scopePicture(
      { ...SCOPE, lost: text, message: { text, isBad: true } },
      [{ name: text, colour: 1, buffer: new TraceBuffer(), isHidden: false, status: text, missed: 0 }],
      { rows: 24, cols: 200 },
      1,
    ).lines.join("\n"),
};

describeUntrustedText(PLACES);

/** How often each file writes to a terminal. A new place comes into the table above; then it is counted here. */
const WRITES = {
  "src/features/data-plane/cli/param/file.ts": 4,
  "src/features/data-plane/cli/param/get.ts": 1,
  "src/features/data-plane/cli/param/list.ts": 1,
  "src/features/data-plane/cli/param/set.ts": 1,
  "src/features/data-plane/cli/service/info.ts": 1,
  "src/features/data-plane/cli/service/list.ts": 1,
  "src/features/data-plane/cli/topic/delay.ts": 2,
  "src/features/data-plane/cli/topic/echo.ts": 2,
  "src/features/data-plane/cli/topic/info.ts": 1,
  "src/features/data-plane/cli/topic/list.ts": 1,
  "src/features/data-plane/cli/topic/pub.ts": 2,
  "src/features/data-plane/cli/topic/rates.ts": 1,
  "src/features/data-plane/cli/topic/why.ts": 1,
  "src/features/data-plane/cli/param/find-parameters.ts": 1,
  "src/features/data-plane/cli/topic/find-topic.ts": 1,
  "src/features/data-plane/client/connect-client.ts": 1,
};

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/data-plane")).toEqual(WRITES);
});
