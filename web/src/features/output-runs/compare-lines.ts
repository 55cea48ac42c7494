/** A pair of lines of two texts; null: the other text has no such line here. */
export interface LinePair {
  readonly left: string | null;
  readonly right: string | null;
  readonly isEqual: boolean;
}

interface CompareOptions {
  /** Numbers count as equal: times, pids, addresses. */
  readonly ignoreNumbers: boolean;
}

/** Most lines of each text: the table of the comparison has a cell for each pair of them. */
export const MAX_COMPARED_LINES = 200;

/** Aligns the last lines of two texts, so that as many lines as possible are equal. Lines that differ stand beside each other, in their order. */
export function compareLines(left: readonly string[], right: readonly string[], { ignoreNumbers }: CompareOptions): LinePair[] {
  const [a, b] = [left.slice(-MAX_COMPARED_LINES), right.slice(-MAX_COMPARED_LINES)];
  const keyOf = ignoreNumbers ? withoutNumbers : (line: string) => line;
  const [keysA, keysB] = [a.map(keyOf), b.map(keyOf)];
  const common = commonLengths(keysA, keysB);
  const width = b.length + 1;
  const pairs: LinePair[] = [];
  let differing: { left: string[]; right: string[] } = { left: [], right: [] };
  const flush = () => {
    const { left: only, right: others } = differing;
    for (let index = 0; index < Math.max(only.length, others.length); index++)
      pairs.push({ left: only[index] ?? null, right: others[index] ?? null, isEqual: false });
    differing = { left: [], right: [] };
  };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [one, other] = [a[i], b[j]];
    if (one !== undefined && other !== undefined && keysA[i] === keysB[j]) {
      flush();
      pairs.push({ left: one, right: other, isEqual: true });
      i++;
      j++;
    } else if (other === undefined || (one !== undefined && (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0))) {
      if (one !== undefined) differing.left.push(one);
      i++;
    } else {
      differing.right.push(other);
      j++;
    }
  }
  flush();
  return pairs;
}

/** For each pair of positions, row by row: how many lines behind them both texts can have in common. */
function commonLengths(a: readonly string[], b: readonly string[]): Uint16Array {
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const at = i * width + j;
      common[at] = a[i] === b[j] ? (common[at + width + 1] ?? 0) + 1 : Math.max(common[at + width] ?? 0, common[at + 1] ?? 0);
    }
  }
  return common;
}

/** A line with a mark in the place of each number, decimal or hexadecimal. */
const withoutNumbers = (line: string) => line.replace(/0x[\da-f]+|\d+(?:[.:,]\d+)*/gi, "#");
