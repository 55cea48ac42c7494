import type { ManagerCore, ManagerFeature } from "../../../app/feature.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { ConfiguredSessions } from "./configured-sessions.ts";
import { ConnectedGuis } from "./connected-guis.ts";
import { DisplayRecords } from "./display-records.ts";
import type { Displays } from "./displays.ts";
import type { Guis } from "./guis.ts";
import { ManagerDisplays } from "./manager-displays.ts";
import { PrivateDisplays } from "./private-displays.ts";
import { RunDisplays } from "./run-displays.ts";
import { guiSocket, vncSocket } from "./sockets.ts";
import { vncInfoRoute } from "./vnc-route.ts";
import { WebStarters } from "./web-starters.ts";
import { readXDisplay, xDisplayFields } from "./x-display.ts";
import { X11Targets } from "./x11-targets.ts";
import { X11Tunnels } from "./x11-tunnels.ts";

/** X displays of processes: in the browser, on the desktop of a user, or of the manager. */
export const displays: ManagerFeature<Displays> = {
  name: "displays",
  async open({ files, sockets, warn }) {
    const records = sockets === null ? null : new DisplayRecords(files, sockets, warn);
    return (core) => attach(core, records);
  },
  attach: (core) => attach(core, null),
};

function attach(core: ManagerCore, records: DisplayRecords | null) {
  const { clock, config, events, hosts, intents, log, named, processes: processTable, processChanged } = core;
  const environment = process.env;
  const guis = new ConnectedGuis({ clock, log });
  guis.onChange((user) => {
    for (const { name, x_display_kind, x_display_username } of processTable.processes())
      if (x_display_kind === "gui" && x_display_username === user) processChanged(name);
  });
  const starters = new WebStarters(intents, (name) => config().processes.get(name));
  const own = new PrivateDisplays({ ...core, records, processTable });
  const runDisplays = new RunDisplays({ processTable, displays: own, guis, starters, log, environment });
  const tunnels = new X11Tunnels({
    hosts,
    events,
    log,
    targets: new X11Targets({ processTable, displays: own, guis, named, environment }),
  });
  const service = new ManagerDisplays(own, new ConfiguredSessions(processTable, named));
  events.subscribe((event) => {
    if (event.type === "process_remove") starters.forget(event.name);
  });
  return {
    service,
    ...displaysExtension(service, guis),
    runs: {
      startRequested: starters.note.bind(starters),
      prepare: runDisplays.prepare.bind(runDisplays),
      beforeRun: (name: string) => own.beforeRun(name),
      processFields: (memo: string) => xDisplayFields(readXDisplay(memo), (user) => guis.desktopOf(user)),
    },
    processes: () => own.definitions(),
    close: () => tunnels.close(),
  };
}

export function displaysExtension(service: Displays, guis: Guis): FeatureExtension {
  return {
    transport: {
      handlers: {},
      snapshot: ({ principal: { user }, isFull }) =>
        isFull ? { vnc_sessions: service.sessions(user), web_x_display: service.webXDisplay(user) } : {},
    },
    http: {
      routes: ({ assetHash }) => [vncInfoRoute(service, assetHash)],
      sockets: [vncSocket(service), guiSocket(guis)],
    },
  };
}
