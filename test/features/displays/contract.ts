import { type Fields, oneOf, optional } from "../../contract/field-types.ts";
import { event, type FeatureContract, route } from "../../contract/rows.ts";

const vncInfo: Fields = {
  ok: "boolean",
  webui_asset_hash: "string",
  display_name: "string",
  process: "string",
  process_state: "string",
  vnc_port: "integer",
  ready: "boolean",
  websocket_path: "string",
};

export const displaysContract: FeatureContract = {
  managerFrames: {
    web_x_display_used: event({
      process: "string",
      kind: oneOf("private"),
      display: "string",
      username: "string",
      reason: "string",
    }),
  },
  routes: [
    route(["GET", "/mgr/vnc/info"], { session: "string" }, "application/json"),
    route(["GET", "/mgr/vnc/ws"], { session: "string" }, null, { status: 101 }),
    route(["GET", "/mgr/gui/ws"], { display: "string", connection: "string" }, null, { status: 101 }),
  ],
  routeBodies: {
    "private VNC info": { ...vncInfo, username: "string", display: "integer", manager_host: "string" },
    "configured VNC info": { ...vncInfo, kind: oneOf("configured"), node: "string", host: "string", vnc_display: "integer" },
    "failed VNC info": {
      ok: "boolean",
      message: "string",
      kind: optional(oneOf("private", "configured")),
      webui_asset_hash: "string",
    },
  },
};
