import { MAX_REPLICAS } from "../../../../src/features/replicas/replica-names.ts";
import { refusalOf } from "../../state/access.ts";
import { command } from "../../state/store.ts";
import { Button } from "../../ui/button.tsx";
import { confirm } from "../../ui/dialog.tsx";
import { setOf } from "./replicas-store.ts";

/** Buttons for one replica less or more, in the view of the replicas' group. */
export function ScaleButtons({ name }: { name: string }) {
  const set = setOf(name);
  if (set === undefined) return null;
  const { count, configured } = set;
  const forbidden = refusalOf({ type: "scale_process", name, count }, "Scaling");
  const scale = (next: number) => command({ type: "scale_process", name, count: next });
  const reduce = async () => {
    const question = {
      title: `Scale ${name} to ${count - 1}?`,
      text: `${name}/${count} is stopped and removed.`,
      yes: "Scale",
      isDanger: true,
    };
    if (await confirm(question)) await scale(count - 1);
  };
  return (
    <span class="replica-scale" title={count === configured ? undefined : `The configuration says ${configured}`}>
      <Button label={`One replica of ${name} less`} needsManager enabled={count > 1} forbidden={forbidden} onClick={() => void reduce()}>
        −
      </Button>
      <output>{count === 1 ? "1 replica" : `${count} replicas`}</output>
      <Button
        label={`One replica of ${name} more`}
        needsManager
        enabled={count < MAX_REPLICAS}
        forbidden={forbidden}
        onClick={() => void scale(count + 1)}
      >
        +
      </Button>
    </span>
  );
}
