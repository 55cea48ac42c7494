import { expect, test } from "vitest";
import { fileText } from "../../../../src/features/recordings/cli/info.ts";
import {
  damagedText,
  deletedText,
  exportedText,
  outcomeText,
  recordingList,
  recordingText,
  startedText,
} from "../../../../src/features/recordings/cli/tables.ts";
import type { Recording } from "../../../../src/features/recordings/wire.ts";
import { describeUntrustedText, type Places, writesOf } from "../../../support/suites/untrusted-text-suite.ts";

const recorded = (text: string): Recording => ({
  name: text,
  state: "error",
  problem: text,
  start_time: text,
  patterns: [text],
  hosts: [text],
  size: 1,
  messages: 1,
  missed: 1,
  dropped: 1,
  topics: [{ name: text, host: text, messages: 1, missed: 1, dropped: 1 }],
  files: [
    {
      host: text,
      file: text,
      size: 1,
      start_time: null,
      end_time: null,
      topics: 1,
      messages: 1,
      missed: 1,
      dropped: 1,
      is_growing: true,
      is_repaired: true,
    },
  ],
});

/** Every place that prints untrusted text, and what it prints. */
const PLACES: Places = {
  "mgr record list": (text) => recordingList([recorded(text)]),
  "mgr record info": (text) => recordingText(recorded(text)),
  "mgr record info of a file": (text) =>
    fileText(text, {
      size: 1,
      messages: 1,
      topics: [{ topic: text, encoding: text, definitionName: text, messages: 1, missed: 0, dropped: 0 }],
      times: null,
      metadata: new Map(),
      isRepaired: true,
    }),
  "mgr record start": (text) => startedText(text),
  "mgr record stop": (text) => outcomeText(recorded(text)),
  "mgr record delete": (text) => deletedText(text, text),
  "mgr record export": (text) => exportedText(text, 2),
  "mgr record export of a damaged file": (text) => damagedText(text, text),
};

describeUntrustedText(PLACES);

/** How often each file writes to a terminal. A new place comes into the table above; then it is counted here. */
const WRITES = {
  "src/features/recordings/cli/export.ts": 2,
  "src/features/recordings/cli/info.ts": 2,
  "src/features/recordings/cli/list.ts": 1,
  "src/features/recordings/cli/start.ts": 1,
  "src/features/recordings/cli/stop.ts": 3,
};

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/recordings")).toEqual(WRITES);
});
