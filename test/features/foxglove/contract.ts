import { type FeatureContract, route } from "../../contract/rows.ts";

export const foxgloveContract: FeatureContract = {
  clientFrames: {},
  managerFrames: {},
  resources: {},
  routes: [route(["GET", "/mgr/foxglove"], { token: "string" }, null, { status: 101 })],
};
