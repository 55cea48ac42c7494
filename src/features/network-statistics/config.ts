import { isIPv4, isIPv6 } from "node:net";
import type { ConfigFeature } from "../../config/config-feature.ts";
import { hostNameProblem } from "../../config/schema/schema-addresses.ts";
import { defaulted, listOf, namedMap, section } from "../../config/schema/schema-kinds.ts";
import { text } from "../../config/schema/schema-values.ts";

const netmask = text("a network such as 10.0.0.0/24 or fd00::/64", (value) => {
  const [address = "", length = "", ...more] = value.split("/");
  const bits = isIPv4(address) ? 32 : isIPv6(address) ? 128 : 0;
  const isLength = /^\d{1,3}$/.test(length) && Number(length) <= bits;
  return bits > 0 && isLength && more.length === 0
    ? null
    : `must be an address and the length of its network in bits, such as 10.0.0.0/24, found '${value}'`;
});

export const networkStatisticsConfig = {
  file: {
    networks: defaulted(
      "Names of networks, for network statistics and topology. Networks that are not listed are found by the addresses of hosts, and named by them.",
      namedMap(
        "a mapping from names of networks to {netmasks}",
        section({ netmasks: defaulted("The networks' addresses.", listOf("networks such as 10.0.0.0/24", netmask), []) }),
        hostNameProblem,
      ),
      {},
    ),
  },
} satisfies ConfigFeature;
