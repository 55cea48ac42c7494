import { described, section } from "../../config/schema/schema-kinds.ts";
import { durationOrNone, integer, text } from "../../config/schema/schema-values.ts";

/** X display numbers: VNC ports are 5900 and X ports 6000 plus the number. */
const MAX_DISPLAY = 59_535;

const geometry = text("a size such as 1600x900", (value) => {
  const [, width = "", height = ""] = /^(\d{3,5})x(\d{3,5})$/.exec(value) ?? [];
  const isSize = [width, height].every((side) => Number(side) >= 100 && Number(side) <= 16_384);
  return isSize ? null : `must be a size such as 1600x900, from 100x100 to 16384x16384, found '${value}'`;
});

/** Private displays of web users (docs/displays.md). */
export const displaysSection = section({
  geometry: described("Size of a new private display. Default 1600x900; a viewer can change it.", geometry),
  window_manager: described(
    "Window manager of private displays: a command for /bin/sh, or none. It runs if its program is installed. Default openbox.",
    text("a command such as openbox, or none"),
  ),
  stop_after_disconnect: described(
    "A private display without a viewer for this long is stopped, with the programs on it. Default none: it stays.",
    durationOrNone,
  ),
  stop_after_idle: described(
    "A private display without mouse or keyboard input for this long is stopped, with the programs on it. Default none: it stays.",
    durationOrNone,
  ),
});

/** A process that is a VNC server. */
export const vnc = section(
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
);
