import { randomUUID } from "node:crypto";
import type { ManagerFeature } from "../../../app/feature.ts";
import { refusal } from "../../../http/request/refusal.ts";
import { dataPlane } from "../../data-plane/manager/index.ts";
import { FOXGLOVE_PATH, MAX_MESSAGE_BYTES, MAX_VIEWERS } from "../limits.ts";
import { TopicFeeds } from "./topic-feeds.ts";
import { Viewer } from "./viewer.ts";

/** Both have the messages of version 1; the second is the name that present viewers offer. */
const SUBPROTOCOLS = ["foxglove.sdk.v1", "foxglove.websocket.v1"];
/** Close code of a WebSocket: protocol error. */
const PROTOCOL_ERROR = 1002;

/** Topics, parameters, services and the log for viewers that speak the Foxglove WebSocket protocol. */
export const foxglove: ManagerFeature<null> = {
  name: "foxglove",
  attach({ bus, clock, events, log, use }) {
    const plane = use(dataPlane);
    const feeds = new TopicFeeds({
      bus: bus.shared,
      publishers: (subject) => plane.tables.owners.publishersAt(subject),
      now: () => clock.now(),
    });
    const parts = { clock, events, log, dataPlane: plane, feeds, sessionId: randomUUID() };
    let viewers = 0;
    return {
      service: null,
      http: {
        sockets: [
          {
            path: FOXGLOVE_PATH,
            maxFrameBytes: MAX_MESSAGE_BYTES,
            isShared: true,
            // Each message shows and does the part that the roles of the viewer allow.
            needs: null,
            hasEffects: false,
            takesUrlToken: true,
            subprotocols: SUBPROTOCOLS,
            async open(request) {
              if (viewers >= MAX_VIEWERS) return refusal(503, `There are ${MAX_VIEWERS} viewers already: close one.`);
              viewers++;
              request.socket.once("close", () => viewers--);
              return {
                label: { kind: "web", name: "foxglove" },
                serve(ws) {
                  if (!SUBPROTOCOLS.includes(ws.protocol))
                    return ws.close(PROTOCOL_ERROR, `offer a subprotocol: ${SUBPROTOCOLS.join(", ")}`);
                  new Viewer(ws, request, parts);
                },
              };
            },
          },
        ],
      },
    };
  },
};
