import { expect, test } from "vitest";
import { judgeOf } from "../../../web/src/state/access-judge.ts";

const NAMES = ["sim/world", "sim/arm", "arm"];
const judge = judgeOf(
  [
    { role: "viewer", on: ["sim/*", "arm"], may_download: true, may_type: false },
    { role: "operator", on: ["sim/world"], may_download: false, may_type: true },
  ],
  (name) => (name === "sim" ? NAMES.slice(0, 2) : [name]),
);

test("the page knows from the tables of frames which role is missing on a process", () => {
  expect(judge({ type: "stop_process", name: "sim/world" }, "Stopping")).toBeNull();
  expect(judge({ type: "stop_process", name: "arm" }, "Stopping")).toBe("Stopping needs the role operator on 'arm'.");
  expect(judge({ type: "send_stdin", name: "sim/world" }, "Typing")).toBeNull();
  expect(judge({ type: "send_stdin", name: "arm" }, "Typing")).toBe(
    "Typing needs the role admin, or operator with 'terminals: operator' on 'arm'.",
  );
  expect(judge({ type: "request_process_detail", name: "arm" }, "This")).toBeNull();
});

test("a command to a group is refused if the role is missing on one of its processes", () => {
  expect(judge({ type: "stop_group", name: "sim" }, "Stopping")).toBe("Stopping needs the role operator on 'sim/arm'.");
  const viewer = judgeOf([{ role: "viewer", on: ["*"], may_download: false, may_type: false }], () => NAMES);
  expect(viewer({ type: "stop_group", name: "all" }, "Stopping")).toBe("Stopping needs the role operator on all of these 3 processes.");
});

test("what belongs to no process needs a role on everything", () => {
  expect(judge({ type: "request_config_file" }, "Configuration")).toBe("Configuration needs the role admin on everything.");
  expect(judge({ type: "stop_logger", name: "arm" }, "This")).toBe("This needs the role operator on everything.");
});

test("a field of a frame may need a higher role than the frame", () => {
  const viewer = judgeOf([{ role: "viewer", on: null, may_download: false, may_type: false }], () => []);
  expect(viewer({ type: "request_process_list", host: "rt1" }, "The list")).toBeNull();
  expect(viewer({ type: "request_process_list", host: "rt1", show_env: false }, "The list")).toBeNull();
  expect(viewer({ type: "request_process_list", host: "rt1", show_env: true }, "The environment")).toBe(
    "The environment needs the role admin on everything.",
  );
});

test("a download needs its permission on the process, or on everything", () => {
  expect(judge({ need: "download", on: "arm" }, "A download")).toBeNull();
  expect(judge({ need: "download", on: null }, "A download")).toBe(
    "A download needs the role operator, or viewer with may_download on everything.",
  );
});
