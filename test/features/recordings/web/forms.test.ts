import { describe, expect, test } from "vitest";
import { configurationOf, formOf, withTopics } from "../../../../web/src/features/loggers/logger-form-values.ts";
import { EMPTY_FORM, lostText, requestOf } from "../../../../web/src/features/recordings/recording-request.ts";
import { addition, freeName, isCovered, listedTopics } from "../../../../web/src/features/recordings/topic-choice.ts";

describe("choosing topics", () => {
  const published = ["arm/State", "arm/[odd]", "camera/left"];

  test("a text filters by parts of names, a pattern by what it matches", () => {
    expect(listedTopics(published, " ")).toEqual(published);
    expect(listedTopics(published, "STATE")).toEqual(["arm/State"]);
    expect(listedTopics(published, "arm/*")).toEqual(["arm/State", "arm/[odd]"]);
    expect(listedTopics(published, "*".repeat(2_000))).toEqual([]);
  });

  test("a topic is matched by a pattern, not by its own name", () => {
    expect(isCovered("arm/State", ["arm/*"])).toBe(true);
    expect(isCovered("arm/State", ["arm/State"])).toBe(false);
    expect(isCovered("camera/left", ["arm/*"])).toBe(false);
  });

  test("typed text can be added once, a pattern only where patterns are allowed", () => {
    expect(addition(" later ", [], false)).toBe("later");
    expect(addition("later", ["later"], true)).toBeNull();
    expect(addition("arm/*", [], true)).toBe("arm/*");
    expect(addition("arm/*", [], false)).toBeNull();
    expect(addition(" ", [], true)).toBeNull();
  });

  test("the suggested name is not in use", () => {
    expect(freeName("run", [])).toBe("run-1");
    expect(freeName("run", [{ name: "run-1" }, { name: "run-3" }])).toBe("run-2");
  });
});

describe("starting a recording", () => {
  test("empty fields are left out, so that the configuration applies", () => {
    expect(requestOf({ ...EMPTY_FORM, name: " run-1 " })).toEqual({ type: "start_recording", name: "run-1" });
  });

  test("sizes are in MiB, times in minutes", () => {
    const form = { ...EMPTY_FORM, name: "r", topics: ["arm/*"], terminals: " a  b/* ", include: ["log"] as const };
    expect(requestOf({ ...form, maxSizeMib: "1.5", maxMinutes: "0.5", maxFiles: "3", freeMib: "0", onFull: "stop" })).toEqual({
      type: "start_recording",
      name: "r",
      topics: ["arm/*"],
      terminals: ["a", "b/*"],
      include: ["log"],
      max_size: 1_572_864,
      max_duration: 30,
      max_files: 3,
      min_free_space: 0,
      delete_oldest: false,
    });
    expect(requestOf({ ...form, onFull: "delete_oldest" })).toMatchObject({ delete_oldest: true });
  });

  test("losses are shown with their total", () => {
    expect(lostText({ messages: 5, missed: 0, dropped: 0 })).toBe("none");
    expect(lostText({ messages: 990, missed: 7, dropped: 3 })).toBe("10 of 1,000");
  });
});

describe("configuring a logger", () => {
  const topic = { only_ts: true, enabled: false, active: false, n_samples: 0, md_name: "", port: "" };
  // Two hosts have samples of it.
  const topics = ["rt1:a", "rt2:a"].map((port) => ({ ...topic, port, name: "a", log_size: 5, divisor: 2 }));
  const form = formOf({ name: "arm", topics });

  test("a new topic gets the numbers of the last one; existing ones keep theirs", () => {
    expect(withTopics({ ...form, topics: [] }, ["x"]).topics).toEqual([{ name: "x", logSize: "10000", divisor: "1" }]);
    expect(withTopics(form, ["b", "a"]).topics).toEqual([
      { name: "b", logSize: "5", divisor: "2" },
      { name: "a", logSize: "5", divisor: "2" },
    ]);
    expect(withTopics(form, []).topics).toEqual([]);
  });

  test("a form becomes the frame", () => {
    expect(configurationOf(form)).toEqual({
      type: "configure_logger",
      name: "arm",
      only_ts: true,
      topics: [{ name: "a", log_size: 5, divisor: 2 }],
    });
  });
});
