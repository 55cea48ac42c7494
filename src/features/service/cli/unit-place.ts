import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";

export interface UnitFlags {
  user?: boolean;
  name?: string;
}

/** A unit of systemd. */
export interface UnitPlace {
  /** Name with its ending. */
  readonly unit: string;
  readonly file: string;
  /** Whether the unit belongs to this user's systemd, not to the system's. */
  readonly isUser: boolean;
  /** `systemctl` as it is typed for this unit. */
  readonly systemctl: string;
}

export function unitPlace({ user = false, name = "mgr" }: UnitFlags): UnitPlace {
  const base = name.replace(/\.service$/, "");
  // The characters of systemd.unit(5); a `@` would make it a template.
  if (!/^[\w:.\\-]{1,200}$/.test(base))
    throw new CommandFailure(EXIT.usage, `--name '${name}' cannot name a unit; use letters, digits and - _ . : only`);
  const configured = process.env.XDG_CONFIG_HOME;
  const own = join(configured !== undefined && isAbsolute(configured) ? configured : join(homedir(), ".config"), "systemd/user");
  const unit = `${base}.service`;
  return { unit, file: join(user ? own : "/etc/systemd/system", unit), isUser: user, systemctl: user ? "systemctl --user" : "systemctl" };
}
