import type { z } from "zod";
import { didYouMean } from "../../base/text/suggest.ts";
import type { ConfigFeature } from "../../config/config-feature.ts";
import { type Names, type PartFinding, unique } from "../../config/load/names.ts";
import { defaulted, described, orNull, section } from "../../config/schema/schema-kinds.ts";
import { durationOrNone, flag, integer, text } from "../../config/schema/schema-values.ts";

/** Maximum X display number: VNC ports are 5900 and X ports 6000 plus the number. */
const MAX_DISPLAY = 59_535;
const FIRST_VNC_PORT = 5_900;

/** `displays` holds the private displays of web users (docs/design/wire-rules.md, "Displays"). */
const RESERVED = "displays";

const geometry = text("a size such as 1600x900", (value) => {
  const [, width = "", height = ""] = /^(\d{3,5})x(\d{3,5})$/.exec(value) ?? [];
  const isSize = [width, height].every((side) => Number(side) >= 100 && Number(side) <= 16_384);
  return isSize ? null : `must be a size such as 1600x900, from 100x100 to 16384x16384, found '${value}'`;
});

/** Private displays of web users (docs/displays.md). */
const displays = section({
  geometry: defaulted("Size of a new private display. Default {}; a viewer can change it.", geometry, "1600x900"),
  window_manager: defaulted(
    "Window manager of private displays: a command for /bin/sh, or none. It runs if its program is installed. Default {}.",
    text("a command such as openbox, or none").transform((command) => (command === "none" ? null : command)),
    "openbox",
  ),
  stop_after_disconnect: defaulted(
    "A private display without a viewer for this long is stopped, with the programs on it. Default {}: it stays.",
    durationOrNone,
    "none",
  ),
  stop_after_idle: defaulted(
    "A private display without mouse or keyboard input for this long is stopped, with the programs on it. Default {}: it stays.",
    durationOrNone,
    "none",
  ),
});
export type DisplaySettings = Readonly<z.output<typeof displays>>;

const vnc = section(
  {
    display: described("Number of the X display that the process serves: 5 means :5.", integer(0, MAX_DISPLAY)),
    port: described("TCP port of its VNC server on localhost of its host. Default 5900 plus 'display'.", integer(1, 65_535)),
  },
  {
    allowed: "a mapping with the keys display, port",
    json: { required: ["display"] },
    check: (values, report) => {
      if (!values.has("display")) report({ path: ["display"], message: "is missing; it must be the number of the X display", at: "key" });
    },
  },
).transform(({ display = 0, port = FIRST_VNC_PORT + display }) => ({ display, port }));

const processKeys = {
  forward_x11: defaulted(
    "Show the windows of this process on the manager's own X display if it has one, else on the private display of the web user who starts it. Default {}.",
    flag,
    false,
  ),
  forward_x11_to_gui: defaulted(
    "Show the windows of this process on the desktop of the user who starts it, while 'mgr gui' runs there, else on the private display of this user. Default {}.",
    flag,
    false,
  ),
  forward_x11_to_vnc: orNull(
    "Show the windows of this process on the X display of this other one, which must have 'vnc'. It may run on another host.",
    text("the name of a process with 'vnc'"),
  ),
  vnc: orNull("The process is a VNC server: its display can be opened in the browser.", vnc),
};
type ProcessKeys = z.output<z.ZodObject<typeof processKeys>>;

/**
 * Target of X clients. `display`: the manager's own, else the private one of the web user who starts the process; `gui`: the desktop of the user who
 * starts it, if `mgr gui` has connected it, else the user's private display; `vnc`: the display of another process.
 */
export type X11Forwarding = { readonly to: "display" } | { readonly to: "gui" } | { readonly to: "vnc"; readonly process: string };

/** The part of a process's definition about displays. */
type DisplayDefinition = {
  /** Target of the process's X clients; null: its environment decides. */
  readonly forward_x11: X11Forwarding | null;
  /** Display number of a VNC server and its TCP port on localhost; null: the process is not a VNC server. */
  readonly vnc: { readonly display: number; readonly port: number } | null;
};

function forwardingOf({ forward_x11, forward_x11_to_gui, forward_x11_to_vnc }: ProcessKeys): X11Forwarding | null {
  if (forward_x11_to_vnc !== null) return { to: "vnc", process: forward_x11_to_vnc };
  if (forward_x11_to_gui) return { to: "gui" };
  return forward_x11 ? { to: "display" } : null;
}

export const displaysConfig = {
  file: { displays: defaulted("Private displays of web users, for graphical programs in the browser.", displays, {}) },
  process: processKeys,
  resolveProcess: (values: ProcessKeys): DisplayDefinition => ({ forward_x11: forwardingOf(values), vnc: values.vnc }),
  describeProcess: ({ forward_x11, vnc }: DisplayDefinition) => ({
    forward_x11: forward_x11?.to === "display" ? true : null,
    forward_x11_to_gui: forward_x11?.to === "gui" ? true : null,
    forward_x11_to_vnc: forward_x11?.to === "vnc" ? forward_x11.process : null,
    vnc,
  }),
  checkReferences: (names) => [...checkReserved(names), ...checkForwarding(names)],
} satisfies ConfigFeature;

function checkReserved(names: Names): PartFinding[] {
  const all = [
    ...[...names.groups.keys()].map((name) => ["groups", name] as const),
    ...[...names.processes.keys()].map((name) => ["processes", name] as const),
  ];
  const taken = all.filter(([, name]) => name === RESERVED || name.startsWith(`${RESERVED}/`));
  return taken.map((path) => names.finding(path, `the name '${RESERVED}' is reserved`, "key"));
}

/** Checks that the target has a display, and that there is one target only. */
function checkForwarding(names: Names): PartFinding[] {
  const findings: PartFinding[] = [];
  const all = [...names.processes.values(), ...names.templates.values()];
  if (!all.some((settings) => settings.has("forward_x11_to_vnc") || settings.has("forward_x11_to_gui"))) return findings;
  const settingOf = (process: string, key: string) =>
    names
      .sections(process)
      .findLast(({ settings }) => settings.has(key))
      ?.settings.get(key);
  const servers = [...names.processes.keys()].filter((name) => settingOf(name, "vnc") !== undefined);
  for (const name of names.processes.keys()) {
    const sectionWith = (key: string) => names.sections(name).findLast(({ settings }) => settings.has(key));
    const gui = settingOf(name, "forward_x11_to_gui") === true ? sectionWith("forward_x11_to_gui") : undefined;
    for (const other of ["forward_x11", "forward_x11_to_vnc"]) {
      if (gui === undefined || [undefined, null, false].some((unset) => unset === settingOf(name, other))) continue;
      findings.push(names.finding([...gui.path, "forward_x11_to_gui"], `cannot be used with '${other}'; use one of them`));
    }
    const section = sectionWith("forward_x11_to_vnc");
    const target = section?.settings.get("forward_x11_to_vnc");
    if (section === undefined || typeof target !== "string" || target === "") continue;
    const report = (message: string) => findings.push(names.finding([...section.path, "forward_x11_to_vnc"], message));
    if (!names.processes.has(target)) report(`there is no process '${target}'${didYouMean(target, servers)}`);
    else if (!servers.includes(target)) report(`process '${target}' has no 'vnc', so it has no display; add 'vnc: {display: N}' to it`);
    if (settingOf(name, "forward_x11") === true) report("cannot be used with 'forward_x11: true'; use one of them");
  }
  return unique(findings);
}
