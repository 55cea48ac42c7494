import { MgrError, messageOf } from "../../../base/errors.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { refusal, refusalResponse } from "../../../http/request/refusal.ts";
import { needsInGeneral, type Route } from "../../../http/route.ts";
import type { Followers } from "../../../http/server/open-connections.ts";
import { rangedFile } from "../../recordings/manager/index.ts";
import type { Flight } from "./flight.ts";

/** `GET /mgr/incident`: the MCAP file of an incident, whole or one range of bytes. */
export function incidentRoute(flight: Flight, followers: Followers): Route {
  return {
    path: "/mgr/incident",
    needs: needsInGeneral("download"),
    method: "GET",
    async handle(context) {
      const { id } = context.req.query();
      if (!id) return refusalResponse(refusal(400, "Give the id of the incident: request_incidents lists them."));
      try {
        return rangedFile(context, `${id}.mcap`, await flight.open(id), followers);
      } catch (error) {
        const status = error instanceof MgrError && error.code === "not_found" ? 404 : 503;
        return refusalResponse(refusal(status, visible(`${messageOf(error)}.`)));
      }
    },
  };
}
