import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../../../../src/base/errors.ts";
import { memoryText } from "../../../../../src/client/shown/load-text.ts";
import { MEMORY_DETAIL_MS } from "../../../../../src/features/load-history/series.ts";
import type { AnswerOf } from "../../../../../src/protocol/frames/frames.ts";
import type { Process } from "../../../../../src/protocol/resources/resources.ts";
import { client, connection } from "../../../state/store.ts";
import { Pair, Section } from "../../../ui/detail-section.tsx";

type Memory = Extract<AnswerOf<"request_memory_detail">, { ok: true }>;
type Measured = { kind: "known"; memory: Memory } | { kind: "failed"; problem: string } | null;

/** The memory of a process that runs, with shared pages counted once; measured while it is shown. */
export function MemorySection({ process }: { process: Process }) {
  const { name, pid } = process;
  const measured = useMemory(name, pid);
  if (pid === null) return null;
  return (
    <Section title="Memory with shared pages counted once">
      {measured === null && <p class="soft">Measuring…</p>}
      {measured?.kind === "failed" && <p class="soft">{measured.problem}</p>}
      {measured?.kind === "known" && <Figures memory={measured.memory} />}
    </Section>
  );
}

function Figures({ memory }: { memory: Memory }) {
  const bytes = (value: number | null) => (value === null ? "not known" : memoryText(value));
  const { processes, unknown } = memory;
  return (
    <dl class="pairs">
      <Pair term="Proportional (PSS)">{bytes(memory.pss)}</Pair>
      <Pair term="Its own">{bytes(memory.private)}</Pair>
      {memory.swap !== null && memory.swap > 0 && <Pair term="In swap">{bytes(memory.swap)}</Pair>}
      <Pair term="Processes">{unknown === 0 ? String(processes) : `${processes}, and ${unknown} that may not be read`}</Pair>
    </dl>
  );
}

function useMemory(name: string, pid: number | null): Measured {
  const [measured, setMeasured] = useState<{ name: string; pid: number | null; result: Measured }>({ name, pid, result: null });
  const isOpen = connection.value.kind === "open";
  useEffect(() => {
    if (pid === null || !isOpen) return;
    let isOver = false;
    const measure = async () => {
      if (document.hidden) return;
      const result = await client.request({ type: "request_memory_detail", name }).then(
        (memory): Measured => ({ kind: "known", memory }),
        (error: unknown): Measured => ({ kind: "failed", problem: messageOf(error) }),
      );
      if (!isOver) setMeasured({ name, pid, result });
    };
    void measure();
    const timer = setInterval(() => void measure(), MEMORY_DETAIL_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [name, pid, isOpen]);
  return measured.name === name && measured.pid === pid ? measured.result : null;
}
