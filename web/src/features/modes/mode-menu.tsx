import { refusalOf } from "../../state/access.ts";
import { MenuButton } from "../../ui/menu.tsx";
import { activeMode, modeRemark, modes, ownersOf, switchTo } from "./modes-store.ts";

/** The active mode in the bar at the top: a menu to switch to another one, with a mark if the set-up differs from it. */
export function ModeMenu() {
  if (modes.value.length === 0) return null;
  const mode = activeMode.value;
  const remark = modeRemark.value;
  const isSwitching = mode?.active?.step != null;
  const name = mode?.name ?? "none";
  return (
    <MenuButton
      icon="compare"
      hasWord
      class={`mode-menu ${remark === "" || isSwitching ? "" : "differs"}`}
      label={`Mode: ${name}${remark === "" ? "" : ` (${remark})`}`}
      word={`${name}${isSwitching ? " …" : remark === "" ? "" : " *"}`}
      items={modes.value.map((each) => ({
        icon: each.active === null ? "next" : "check",
        label: each.name,
        forbidden: refusalOf({ type: "switch_mode", name: each.name, owners: ownersOf(each) }, "Switching"),
        run: () => void switchTo(each.name),
      }))}
    />
  );
}
