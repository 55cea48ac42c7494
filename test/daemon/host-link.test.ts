import { describeHostLink } from "../support/host-link-suite.ts";
import { HOST_LINKS } from "./support/host-links.ts";

for (const [name, open] of HOST_LINKS) describeHostLink(name, open);
