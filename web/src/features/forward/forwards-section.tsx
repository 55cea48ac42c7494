import { useState } from "preact/hooks";
import { bytesText } from "../../../../src/client/shown/units.ts";
import { forwardState } from "../../../../src/features/forward/forward-state.ts";
import type { Forward } from "../../../../src/features/forward/wire.ts";
import { refusalOf } from "../../state/access.ts";
import { command } from "../../state/store.ts";
import { Button } from "../../ui/button.tsx";
import { clockTime } from "../../ui/time.ts";
import { useForwards } from "./use-forwards.ts";

/** The TCP ports of hosts that users reach by `mgr forward`; nothing if there are none. */
export function ForwardsSection() {
  const [closed, setClosed] = useState(0);
  const open = useForwards(closed);
  if (open.length === 0) return null;
  return (
    <section>
      <h2>Forwards</h2>
      <div class="section-table">
        <table aria-label="Forwards">
          <thead>
            <tr>
              <th>Port</th>
              <th>User</th>
              <th>Since</th>
              <th>Connections</th>
              <th>Received</th>
              <th>Sent</th>
              <th>State</th>
              <th />
            </tr>
          </thead>
          <tbody>
            {open.map((forward) => (
              <ForwardRow key={forward.id} forward={forward} onClosed={() => setClosed((count) => count + 1)} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function ForwardRow({ forward, onClosed }: { forward: Forward; onClosed: () => void }) {
  const { id, user, address, host, port, opened, connections, total_connections, received, sent } = forward;
  const frame = { type: "close_forward", id } as const;
  const close = async () => {
    await command(frame);
    onClosed();
  };
  return (
    <tr>
      <td>
        {host}:{port}
      </td>
      <td title={address ?? "on the manager's machine"}>{user}</td>
      <td>{clockTime(opened)}</td>
      <td title={`${total_connections} so far`}>{connections}</td>
      <td>{bytesText(received)}</td>
      <td>{bytesText(sent)}</td>
      <td>{forwardState(forward)}</td>
      <td>
        <Button
          needsManager
          label={`Close the forward to ${host}:${port}`}
          forbidden={refusalOf(frame, "Closing")}
          onClick={() => void close()}
        >
          Close
        </Button>
      </td>
    </tr>
  );
}
