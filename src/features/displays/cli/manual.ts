import type { Pages } from "../../../cli/command/feature.ts";

/** Manual of `mgr gui`. */
export const GUI_PAGES: Pages = {
  gui: {
    about: `Run it in a terminal of your desktop and leave it running. Processes with 'forward_x11_to_gui: true' that you start (in the browser, with this
command or a script, as the same user) then show their windows on your desktop, from whatever host they run on. It says which process connects.
It reconnects when the connection to the manager is lost; windows that were open then end. Of several desktops of one user the one that was
connected last gets new windows.
The programs can see and control all windows of your desktop, as with ssh -Y. The cookie of your X server stays on your machine.`,
    examples: [
      ["mgr gui --url https://bench.lab:8130 --user ada", "on the desktop of ada"],
      ["mgr gui --display :1", "another display of this machine"],
    ],
    exitCodes: "1 if the manager or the X server refuses the connection",
  },
};
