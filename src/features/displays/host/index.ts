import { join } from "node:path";
import type { HostFeature } from "../../../daemon/host-feature.ts";
import { type X11_REQUESTS, x11TargetText } from "../contract.ts";
import { ForwardedDisplays } from "./forwarded-displays.ts";
import { openDisplay } from "./open-display.ts";

/** X displays of runs, and connections to X servers of the host. */
export const displaysHost: HostFeature<keyof typeof X11_REQUESTS> = {
  begin({ folders, clock, streams, hasManager, log, publish }) {
    const displays = new ForwardedDisplays({
      folder: folders && join(folders.state, "x11"),
      clock,
      hasManager,
      announce: (waiting) => publish("x11", waiting),
      log,
    });
    return {
      service: null,
      handlers: {
        x11_accept: async ({ stream, connection }) => {
          await streams.carry(stream, async () => {
            const { socket, name } = displays.accept(connection);
            return { socket, target: x11TargetText(name) };
          });
          return {};
        },
        x11_connect: async ({ stream, display }) => {
          const name = `:${display}`;
          const { authorization } = await streams.carry(stream, async () => {
            const { stream: socket, authorization } = await openDisplay({ display: name, authority: null });
            return { socket, target: x11TargetText(name), authorization };
          });
          return {
            authorization: authorization && { name: authorization.name, data: Buffer.from(authorization.data).toString("base64") },
          };
        },
      },
      environment: async (spec, runId) => {
        const { x11 } = spec;
        if (x11 === undefined) return {};
        if (!("forward" in x11)) return variables(x11);
        return runId === undefined ? {} : variables(await displays.begin(runId, spec));
      },
      runEnded: (runId) => displays.end(runId),
      managerLost: () => displays.managerLost(),
      close: () => displays.close(),
    };
  },
};

function variables({ display, authority }: { display: string; authority: string | null }): Record<string, string> {
  return { DISPLAY: display, ...(authority === null ? {} : { XAUTHORITY: authority }) };
}
