import { expect, test } from "vitest";
import { deletedText, flightHostsText, incidentList, incidentText, pinnedText } from "../../../../src/features/flight/cli/tables.ts";
import type { Incident } from "../../../../src/features/flight/wire.ts";
import { describeUntrustedText, type Places, writesOf } from "../../../support/suites/untrusted-text-suite.ts";

const AT = "2026-01-01T00:00:00.000";

const incidentOf = (text: string): Incident => ({
  id: text,
  state: "complete",
  problem: text,
  time: AT,
  from: AT,
  until: AT,
  triggers: [{ trigger: text, text, host: text, time: AT, fired: 2 }],
  note: text,
  by: text,
  is_pinned: true,
  hosts: [
    {
      host: text,
      state: "merged",
      offset_ms: 1.5,
      uncertainty_ms: null,
      reaches: null,
      missing: [text],
      messages: 3,
      size: 2_048,
    },
  ],
  missing: [`host ${text}: ${text}`],
  messages: 3,
  size: 2_048,
});

const RING = { bytes: 1, disk_bytes: 0, messages: 1, oldest: null, newest: null, offset_ms: null, uncertainty_ms: null };

/** Every place that prints untrusted text, and what it prints. */
const PLACES: Places = {
  "mgr incidents list": (text) => incidentList([incidentOf(text)]),
  "mgr incidents show, mgr snapshot": (text) => incidentText(incidentOf(text)),
  "mgr incidents hosts": (text) => flightHostsText([{ ...RING, host: text }], [text]),
  "mgr incidents rm": (text) => deletedText(text),
  "mgr incidents pin": (text) => pinnedText(text, true),
};

describeUntrustedText(PLACES);

/** How often each file writes to a terminal. A new place comes into the table above; then it is counted here. */
const WRITES = {
  "src/features/flight/cli/incidents.ts": 7,
  "src/features/flight/cli/snapshot.ts": 1,
};

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/flight")).toEqual(WRITES);
});

test("an incident is shown with its file, its triggers, its hosts, and what is missing", () => {
  const text = incidentText({ ...incidentOf("arm"), problem: null, note: "" });
  expect(text).toMatch(/^incident +arm$/m);
  expect(text).toMatch(/^state +complete$/m);
  expect(text).toMatch(/^file +\S+ kB, 3 messages$/m);
  expect(text).toMatch(/^arm +2026-01-01T00:00:00\.000 +2 +arm +arm$/m);
  expect(text).toMatch(/^arm +merged +\S+ kB +3 +- +\+1\.500 ms$/m);
  expect(text).toMatch(/^missing: host arm: arm$/m);
  expect(text).not.toMatch(/^note/m);
});

test("the list of incidents prefers the note of a user to the cause", () => {
  expect(incidentList([{ ...incidentOf("a"), note: "arm vibrates" }])).toMatch(/^a +complete +\S+ kB +1\/1 +1 +yes +arm vibrates$/m);
  expect(incidentList([{ ...incidentOf("a"), note: "", triggers: [] }])).toMatch(/^a +complete +\S+ kB +1\/1 +1 +yes *$/m);
});
