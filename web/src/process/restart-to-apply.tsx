import type { Process } from "../../../src/protocol/resources/resources.ts";
import { forbiddenOf, request, type Target } from "../actions/commands.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/marks/icons.tsx";

/** A button that restarts those of `processes` that run another command or configuration than their next start would; draws nothing without any. */
export function RestartToApply({ processes }: { processes: readonly Process[] }) {
  const outdated = processes.filter(({ needs_restart }) => needs_restart);
  const [first] = outdated;
  if (!first) return null;
  const names = outdated.map(({ name }) => name);
  const isOne = names.length === 1;
  const target: Target = isOne ? { kind: "process", name: first.name } : { kind: "list", title: `${names.length} processes`, names };
  return (
    <Button
      class="to-apply"
      needsManager
      title={`Changed since the start of ${names.slice(0, 12).join(", ")}${names.length > 12 ? ` and ${names.length - 12} more` : ""}`}
      forbidden={forbiddenOf("restart", target)}
      onClick={() => void request("restart", target)}
    >
      <Icon name="restart" />
      {isOne ? `Restart ${first.display_name} to apply changes` : `Restart these ${names.length} to apply changes`}
    </Button>
  );
}
