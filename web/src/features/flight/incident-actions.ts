import { bytesText } from "../../../../src/client/shown/units.ts";
import type { Incident } from "../../../../src/features/flight/wire.ts";
import { show } from "../../state/navigation.ts";
import { ask, command } from "../../state/store.ts";
import { downloadFrom } from "../../ui/browser/download.ts";
import { confirm } from "../../ui/dialog.tsx";
import { complain } from "../../ui/toasts.ts";

/** Keeps what all hosts have recorded until now, and shows it. */
export async function keepSnapshot(note: string): Promise<void> {
  try {
    const answer = await ask({ type: "keep_incident", ...(note === "" ? {} : { note }) }, "incident_action_result");
    if (answer.ok) show({ kind: "incident", id: answer.id });
    else complain(new Error(answer.message));
  } catch (error) {
    complain(error);
  }
}

export const pin = ({ id, is_pinned }: Incident): Promise<boolean> => command({ type: "pin_incident", id, is_pinned: !is_pinned });

/** Asks, and deletes it; resolves with whether it is deleted. */
export async function remove({ id, size, hosts }: Incident): Promise<boolean> {
  const text = `What ${hosts.length === 1 ? "1 host" : `${hosts.length} hosts`} recorded, ${bytesText(size)}, will be deleted. This cannot be undone.`;
  return (
    (await confirm({ title: `Delete the incident ${id}?`, text, yes: "Delete", isDanger: true })) &&
    command({ type: "delete_incident", id })
  );
}

/** The address where the manager serves its file, whole or in ranges. */
export const incidentAddress = (id: string): string => `/mgr/incident?${new URLSearchParams({ id })}`;

export const download = ({ id }: Incident): void => downloadFrom(incidentAddress(id), `${id}.mcap`);
