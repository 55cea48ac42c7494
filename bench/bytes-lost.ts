// How many bytes of a child's output are lost, and does any come after its exit? `npx tsx bench/bytes-lost.ts [runs]`
import { createHash } from "node:crypto";
import { Terminal } from "../src/daemon/terminal.ts";

const SIZES = [1, 100, 4_096, 20_000, 65_537, 200_000];
const AT_ONCE = 8;
const runs = Number(process.argv[2] ?? 2_000);

/** `size` bytes in lines, so that a hole shows as another digest. */
const program = (size: number): string[] => ["/bin/sh", "-c", `seq 1 100000 | tr '\\n' ' ' | head -c ${size}`];
const expected = new Map<number, string>();
for (const size of SIZES) {
  const text = Array.from({ length: 100_000 }, (_, index) => `${index + 1} `).join("");
  expected.set(size, createHash("sha256").update(text.slice(0, size)).digest("hex"));
}

async function once(size: number): Promise<{ lost: number; late: number; differs: boolean }> {
  const digest = createHash("sha256");
  let bytes = 0;
  let atExit = 0;
  const terminal = await new Promise<Terminal>((resolve, reject) => {
    const started = Terminal.start({
      argv: program(size),
      cwd: "/",
      environment: { PATH: process.env.PATH ?? "" },
      rows: 24,
      cols: 80,
      onData: (data) => {
        bytes += data.length;
        digest.update(data);
      },
      onExit: () => {
        atExit = bytes;
        started.then(resolve, reject);
      },
    });
    started.catch(reject);
  });
  terminal.close();
  return { lost: size - bytes, late: bytes - atExit, differs: digest.digest("hex") !== expected.get(size) };
}

const begin = performance.now();
let [lost, late, short, done] = [0, 0, 0, 0];
async function worker(): Promise<void> {
  while (done < runs) {
    const size = SIZES[done++ % SIZES.length] ?? 1;
    const result = await once(size);
    lost += result.lost;
    late += result.late;
    if (result.differs) short += 1;
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, worker));
const milliseconds = performance.now() - begin;
console.log(
  `${runs} runs of ${SIZES.join(", ")} bytes: ${lost} bytes lost, ${late} bytes after the exit, ${short} runs differ; ${(milliseconds / runs).toFixed(2)} ms a run`,
);
process.exitCode = lost + late + short === 0 ? 0 : 1;
