import { existsSync, readFileSync, rmSync } from "node:fs";
import { messageOf } from "../../../base/errors.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { systemctl } from "./systemctl.ts";
import { type UnitFlags, unitPlace } from "./unit-place.ts";
import { WRITTEN_BY } from "./unit-text.ts";

/** `mgr service uninstall`: stops the service, and removes its unit. */
export async function uninstall(flags: UnitFlags): Promise<void> {
  const place = unitPlace(flags);
  const { file, unit, isUser } = place;
  if (!existsSync(file)) throw new CommandFailure(EXIT.notFound, `there is no ${file}; give --user or --name of the unit`);
  if (!readFileSync(file, "utf8").startsWith(WRITTEN_BY))
    throw new CommandFailure(
      EXIT.failed,
      `${file} was not written by 'mgr service install'; remove it with ${place.systemctl} disable --now ${unit}`,
    );
  await systemctl(place, "disable", "--now", unit);
  try {
    rmSync(file);
  } catch (error) {
    throw new CommandFailure(EXIT.failed, `cannot remove ${file}: ${messageOf(error)}${isUser ? "" : "; run the command with sudo"}`);
  }
  await systemctl(place, "daemon-reload");
  console.log(`${visible(unit)} is stopped, and ${visible(file)} is removed`);
}
