import type { z } from "zod";
import type { ConfigFeature } from "../../config/config-feature.ts";
import { defaulted, orNull, section } from "../../config/schema/schema-kinds.ts";
import { flag, integer, ringMemory, text } from "../../config/schema/schema-values.ts";
import { syslogTarget } from "./syslog-target.ts";

const syslog = text("the path of a socket such as /dev/log, or udp://HOST:PORT", (value) =>
  syslogTarget(value) === null ? `must be the path of a socket such as /dev/log, or udp://HOST:PORT, found '${value}'` : null,
);

const audit = section({
  enabled: defaulted("Whether commands are recorded. Default {}.", flag, true),
  required: defaulted(
    "Whether commands are refused while they cannot be recorded, such as on a full disk. Without it they are carried out, and those that are not recorded are counted. Default {}.",
    flag,
    false,
  ),
  terminal_input: defaulted(
    "Whether the text that users type into terminals is recorded, with the passwords in it. Without it, only its size is. Default {}.",
    flag,
    false,
  ),
  max_size: defaulted("Size at which a file ends and the next one begins. Default {}.", ringMemory, "16MiB"),
  max_files: defaulted("Number of files that are kept; the oldest is removed. Default {}.", integer(2, 1_000), 16),
  syslog: orNull(
    "Where each record is also sent, in the format of RFC 5424: the path of a datagram socket such as /dev/log, or udp://HOST:PORT.",
    syslog,
  ),
});
export type AuditSettings = Readonly<z.output<typeof audit>>;

export const auditConfig = {
  file: { audit: defaulted("Who gave which command: see docs/audit.md. Changes take effect with a reload.", audit, {}) },
} satisfies ConfigFeature;
