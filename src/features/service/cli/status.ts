import { visible } from "../../../base/text/visible-text.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { printJson } from "../../../cli/output/table.ts";
import { systemctl } from "./systemctl.ts";
import { type UnitFlags, unitPlace } from "./unit-place.ts";

const PROPERTIES = ["LoadState", "ActiveState", "SubState", "Result", "MainPID", "NRestarts", "UnitFileState", "FragmentPath"] as const;

/** `mgr service status`: what systemd says about the unit. */
export async function status(flags: UnitFlags & { json?: boolean }): Promise<void> {
  const place = unitPlace(flags);
  const found = properties(await systemctl(place, "show", `--property=${PROPERTIES.join(",")}`, place.unit));
  if (found.LoadState !== "loaded")
    throw new CommandFailure(
      EXIT.notFound,
      `there is no unit ${place.unit}; install it with: mgr service install${place.isUser ? " --user" : ""}`,
    );
  const isActive = found.ActiveState === "active";
  const pid = Number(found.MainPID) || null;
  const restarts = Number(found.NRestarts);
  const [state, result, enabled] = [found.SubState, found.Result, found.UnitFileState === "enabled"];
  if (flags.json) printJson({ unit: place.unit, file: found.FragmentPath, active: isActive, state, result, pid, restarts, enabled });
  else {
    const details = [
      pid === null ? null : `pid ${pid}`,
      enabled ? "enabled" : `not started at boot (${place.systemctl} enable ${place.unit})`,
      restarts === 0 ? null : `${restarts} ${restarts === 1 ? "restart" : "restarts"} after failures`,
      result === "success" ? null : `last result: ${result}`,
    ].filter((each) => each !== null);
    console.log(visible(`${place.unit} is ${found.ActiveState} (${state}), ${details.join(", ")}`));
  }
  if (!isActive) process.exitCode = EXIT.failed;
}

function properties(text: string): Record<(typeof PROPERTIES)[number], string> {
  const values = new Map(text.split("\n").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
  const of = (name: (typeof PROPERTIES)[number]) => values.get(name) ?? "";
  return {
    LoadState: of("LoadState"),
    ActiveState: of("ActiveState"),
    SubState: of("SubState"),
    Result: of("Result"),
    MainPID: of("MainPID"),
    NRestarts: of("NRestarts"),
    UnitFileState: of("UnitFileState"),
    FragmentPath: of("FragmentPath"),
  };
}
