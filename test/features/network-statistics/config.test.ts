import { expect, it } from "vitest";
import { parseConfigText } from "../../../src/config/load/load.ts";

const read = (networks: string) => parseConfigText(`instance: {name: t, manager: ':0'}\nnetworks: ${networks}\n`, "mgr.yaml").networks;

it("networks have names and addresses", () => {
  expect(read("{lab: {netmasks: [10.0.0.0/24, fd00::/64]}, roof: {}}")).toEqual(
    new Map([
      ["lab", { netmasks: ["10.0.0.0/24", "fd00::/64"] }],
      ["roof", { netmasks: [] }],
    ]),
  );
});

it.each([
  ["without the length of its network", "10.0.0.0"],
  ["that is longer than an address", "10.0.0.0/33"],
])("a netmask %s is refused", (_what, netmask) => {
  expect(() => read(`{lab: {netmasks: [${netmask}]}}`)).toThrow(
    `2:29 networks.lab.netmasks[0]: must be an address and the length of its network in bits, such as 10.0.0.0/24, found '${netmask}'`,
  );
});
