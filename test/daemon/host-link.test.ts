import { describeHostLink } from "../support/suites/host-link-suite.ts";
import { HOST_LINKS } from "./support/host-links.ts";

for (const [name, open] of HOST_LINKS) describeHostLink(name, open);
