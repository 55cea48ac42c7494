import { findGroup } from "../../../../src/client/mirror.ts";
import type { RestartStep } from "../../../../src/features/rolling-restart/wire.ts";
import { refusalOf } from "../../state/access.ts";
import { membersOf } from "../../state/members.ts";
import { command, tree } from "../../state/store.ts";
import { Button } from "../../ui/button.tsx";
import { confirm } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/marks/icons.tsx";
import { namesOf, presentStep } from "./steps-store.ts";

/** Restarts the members of a group one after the other; meanwhile, it shows the progress and cancels the rest. */
export function RollingButton({ name }: { name: string }) {
  const group = findGroup(tree.value, name);
  const members = group === undefined ? [] : membersOf(group);
  if (members.length < 2) return null;
  const step = presentStep(name);
  return step === undefined ? <BeginButton name={name} members={members} /> : <CancelButton step={step} />;
}

function BeginButton({ name, members }: { name: string; members: string[] }) {
  const begin = async () => {
    const question = {
      title: `Restart ${name} one by one?`,
      text: `${members.length} processes are restarted, each when the one before is ready. It stops when one fails.`,
      yes: "Restart one by one",
      isDanger: true,
    };
    if (await confirm(question)) await command({ type: "rolling_restart", names: members });
  };
  return (
    <Button
      class="restart rolling"
      label="Rolling restart"
      title="Restart the members one by one"
      needsManager
      forbidden={refusalOf({ type: "rolling_restart", owners: members }, "Restarting")}
      onClick={() => void begin()}
    >
      <Icon name="restart" />
      <span class="word">Rolling restart</span>
    </Button>
  );
}

function CancelButton({ step: { id, name, position, total } }: { step: RestartStep }) {
  return (
    <Button
      class="restart"
      label={`Cancel restart (${position} of ${total})`}
      title={`${name} is being restarted. Leave the others as they are`}
      needsManager
      enabled={position < total}
      forbidden={refusalOf({ type: "cancel_rolling_restart", owners: namesOf(id) }, "Cancelling")}
      onClick={() => void command({ type: "cancel_rolling_restart", id })}
    >
      <Icon name="close" />
      <span class="word">
        {position} of {total}
      </span>
    </Button>
  );
}
