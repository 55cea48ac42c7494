import type { AccessToken } from "../../../../src/features/access-tokens/wire.ts";
import { client } from "../../state/store.ts";
import { Button } from "../../ui/button.tsx";
import { confirm } from "../../ui/dialog.tsx";
import { SidePanel } from "../../ui/list/side-panel.tsx";
import { Icon } from "../../ui/marks/icons.tsx";
import { complain } from "../../ui/toasts.ts";
import { refresh } from "./access-store.ts";
import { endText, onText } from "./token-text.ts";

/** One token, with the button that revokes it. */
export function TokenPanel({ token, onClose }: { token: AccessToken; onClose: () => void }) {
  const { name, role, on, created, created_by, expires, valid } = token;
  const revoke = async () => {
    const text = "Its link and token do not work any more, and its connections are closed. This cannot be undone.";
    if (!(await confirm({ title: `Revoke ${name}?`, text, yes: "Revoke", isDanger: true }))) return;
    try {
      await client.request({ type: "revoke_access_token", name });
      onClose();
    } catch (error) {
      complain(error);
    }
    await refresh();
  };
  return (
    <SidePanel label={`Access token ${name}`} title={name} onClose={onClose}>
      <section class="detail-section">
        {!valid && <p class="warn">Not valid: {created_by}, who created it, is no admin any more.</p>}
        <dl class="access-facts">
          <dt>User</dt>
          <dd>token:{name}</dd>
          <dt>Role</dt>
          <dd>{role}</dd>
          <dt>On</dt>
          <dd>{onText(on)}</dd>
          <dt>Created</dt>
          <dd>
            {endText(created)} by {created_by}
          </dd>
          <dt>Expires</dt>
          <dd>{endText(expires)}</dd>
        </dl>
        <Button class="stop" needsManager onClick={() => void revoke()}>
          <Icon name="clear" />
          Revoke
        </Button>
      </section>
    </SidePanel>
  );
}
