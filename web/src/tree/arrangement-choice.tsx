import { treeArrangement } from "../state/settings.ts";
import { arrangement, offered } from "./arrangement.ts";

/** Chooses what the tree is arranged by; nothing where the groups are the only way. */
export function ArrangementChoice() {
  if (offered.value.length === 0) return null;
  return (
    <label class="arrangement">
      <span>Arrange by</span>
      <select
        value={arrangement.value?.prefix ?? ""}
        onChange={(event) => {
          treeArrangement.value = event.currentTarget.value;
        }}
      >
        <option value="">group</option>
        {offered.value.map(({ prefix, word }) => (
          <option key={prefix} value={prefix}>
            {word}
          </option>
        ))}
      </select>
    </label>
  );
}
