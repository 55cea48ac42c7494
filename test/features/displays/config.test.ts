import { describe, expect, it } from "vitest";
import { describeDefinition } from "../../../src/config/describe-definition.ts";
import { parseConfigText } from "../../../src/config/load/load.ts";

describe("displays", () => {
  const head = 'instance: {name: t, manager: ":0"}\nhosts: {rt1: {}}\n';

  it("are VNC servers on port 5900 plus their number, unless configured otherwise", () => {
    const config = parseConfigText(
      `${head}processes: {p: {command: x, vnc: {display: 5}}, q: {command: x, vnc: {display: 6, port: 7}}}\n`,
      "mgr.yaml",
    );
    expect([...config.processes.values()].map(({ vnc }) => vnc)).toEqual([
      { display: 5, port: 5_905 },
      { display: 6, port: 7 },
    ]);
    expect(() => parseConfigText(`${head}processes: {p: {command: x, vnc: {port: 7}}}\n`, "mgr.yaml")).toThrow(
      "processes.p.vnc.display: is missing; it must be the number of the X display",
    );
  });

  it("are selected by one of three options", () => {
    const processes =
      "{p: {command: x, forward_x11: true}, q: {command: x, forward_x11_to_vnc: r}, r: {command: x, vnc: {display: 5}}, s: {command: x, forward_x11_to_gui: true, forward_x11: false}}";
    const config = parseConfigText(`${head}processes: ${processes}\n`, "mgr.yaml");
    expect([...config.processes.values()].map(({ forward_x11 }) => forward_x11)).toEqual([
      { to: "display" },
      { to: "vnc", process: "r" },
      null,
      { to: "gui" },
    ]);
    const described = [...config.processes.values()].map((definition) => describeDefinition(definition));
    expect(described).toMatchObject([
      { forward_x11: true },
      { forward_x11_to_vnc: "r" },
      { vnc: { display: 5 } },
      { forward_x11_to_gui: true },
    ]);
    expect(described[3]).not.toHaveProperty("forward_x11");
  });

  it("reserve their name", () => {
    expect(() => parseConfigText(`${head}processes:\n  displays/a: {command: x}\n`, "mgr.yaml")).toThrow(
      "4:3 processes.displays/a: the name 'displays' is reserved",
    );
  });

  it("can be that of a process on another node", () => {
    const processes = "{p: {command: x, node: rt1, forward_x11_to_vnc: q}, q: {command: x, vnc: {display: 5}}}";
    const config = parseConfigText(`${head}processes: ${processes}\n`, "mgr.yaml");
    expect(config.processes.get("p")?.forward_x11).toEqual({ to: "vnc", process: "q" });
  });

  it.each([
    ["an unknown process", "p: {command: x, forward_x11_to_vnc: s}", "there is no process 's'"],
    ["a process without a display", "p: {command: x, forward_x11_to_vnc: q}, q: {command: x}", "process 'q' has no 'vnc'"],
    [
      "two targets",
      "p: {command: x, forward_x11: true, forward_x11_to_vnc: q}, q: {command: x, vnc: {display: 5}}",
      "cannot be used with 'forward_x11: true'",
    ],
    ["a desktop and a display", "p: {command: x, forward_x11: true, forward_x11_to_gui: true}", "cannot be used with 'forward_x11'"],
    [
      "a desktop and another process",
      "p: {command: x, forward_x11_to_vnc: q, forward_x11_to_gui: true}, q: {command: x, vnc: {display: 5}}",
      "cannot be used with 'forward_x11_to_vnc'",
    ],
  ])("cannot be %s", (_what, processes, problem) => {
    expect(() => parseConfigText(`${head}processes: {${processes}}\n`, "mgr.yaml")).toThrow(problem);
  });

  it("of web users have a size, a window manager and times after which they stop", () => {
    const read = (settings: string) => parseConfigText(`${head}displays: ${settings}\nprocesses: {}\n`, "mgr.yaml").displays;
    expect(read("{}")).toEqual({ geometry: "1600x900", window_manager: "openbox", stop_after_disconnect: null, stop_after_idle: null });
    expect(read("{geometry: 800x600, window_manager: none, stop_after_disconnect: 8h, stop_after_idle: 90s}")).toEqual({
      geometry: "800x600",
      window_manager: null,
      stop_after_disconnect: 28_800_000,
      stop_after_idle: 90_000,
    });
    for (const geometry of ["800", "80x80", "99999x600", "800x600x24", "800x-600"])
      expect(() => read(`{geometry: ${geometry}}`)).toThrow("geometry");
  });
});
