import { useState } from "preact/hooks";
import type { HostEntry } from "../../../../src/protocol/resources/resources.ts";
import { refusalOf } from "../../state/access.ts";
import { ask, command, hosts } from "../../state/store.ts";
import { Button } from "../../ui/button.tsx";
import { toast } from "../../ui/toasts.ts";
import { useVersions, type Versions } from "./use-versions.ts";

/** What runs in another version than the installed one; nothing if there is none. */
export function UpgradeSection() {
  const versions = useVersions();
  if (versions === null) return null;
  const { running, installed } = versions;
  const isOther = installed !== null && installed !== running;
  // A host is replaced after the manager, by what is installed there.
  const others = hosts.value.filter(({ state, version }) => state === "ready" && version !== null && version !== running);
  if (!isOther && others.length === 0) return null;
  return (
    <section class="upgrade">
      <h2>Upgrade</h2>
      <ul>
        {isOther && <ManagerItem versions={versions} installed={installed} />}
        {others.map((host) => (
          <HostItem key={host.name} host={host} running={running} />
        ))}
      </ul>
    </section>
  );
}

function ManagerItem({ versions: { running, problem }, installed }: { versions: Versions; installed: string }) {
  const [isBusy, setBusy] = useState(false);
  const upgrade = async () => {
    setBusy(true);
    try {
      const answer = await ask({ type: "upgrade_manager" }, "manager_upgraded");
      if (!answer.ok || answer.problem === null) return;
      toast(`The manager was not replaced: ${answer.problem}.`);
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <li>
      <span>
        mgr {installed} is installed, and the manager runs {running}. {problem !== null && `It cannot replace its program: ${problem}.`}
      </span>
      {problem === null && (
        <Button
          needsManager
          enabled={!isBusy}
          forbidden={refusalOf({ type: "upgrade_manager" }, "Upgrading")}
          onClick={() => void upgrade()}
        >
          Upgrade the manager
        </Button>
      )}
    </li>
  );
}

function HostItem({ host: { name, version }, running }: { host: HostEntry; running: string }) {
  const [isBusy, setBusy] = useState(false);
  const frame = { type: "upgrade_host", host: name } as const;
  const upgrade = async () => {
    setBusy(true);
    await command(frame);
    setBusy(false);
  };
  return (
    <li>
      <span>
        Host {name} runs {version}, and the manager {running}.
      </span>
      <Button needsManager enabled={!isBusy} forbidden={refusalOf(frame, "Upgrading")} onClick={() => void upgrade()}>
        Upgrade {name}
      </Button>
    </li>
  );
}
