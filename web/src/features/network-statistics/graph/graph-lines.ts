export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Upper left corner and size, px. */
export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** Direction of the ranks: to the right, or down. */
export type Direction = "LR" | "TB";

export interface Line {
  readonly path: string;
  /** Position of its text. */
  readonly label: Point;
  /** The coordinate up to which an arc beside the ranks needs room, in their direction, px; 0 if it is no arc. */
  readonly reach: number;
}

/** Extent of an arc, px: minimum, per pixel between its ends, and maximum. */
const ARC = { least: 22, slope: 0.12, most: 70 };
/** Half of the width of a text on a line, px. */
const HALF_LABEL = 22;
/** Position of a text along a line, as a fraction: nearer to its second end. */
const LABEL_PART = 0.62;

/** An end of a line: its box, and the box in the ranks that contains it, which is itself or its group. */
export interface End {
  readonly box: Box;
  readonly outer: Box;
}

/** A smooth line between two boxes: from rank to rank past the bends, or as an arc between boxes of one rank. */
export function lineOf(from: End, bends: readonly Point[], to: End, direction: Direction): Line {
  if (direction === "LR") return across(from, bends, to);
  return turned(across(turnedEnd(from), bends.map(turnedPoint), turnedEnd(to)));
}

/** A line for ranks that go to the right. */
function across(from: End, bends: readonly Point[], to: End): Line {
  const [one, other] = [middle(from.box), middle(to.box)];
  if (from.outer.x < rightOf(to.outer) && to.outer.x < rightOf(from.outer)) {
    const first = { x: rightOf(from.box), y: one.y };
    const last = { x: rightOf(to.box), y: other.y };
    const right = Math.max(rightOf(from.outer), rightOf(to.outer));
    const out = right + Math.min(ARC.most, ARC.least + ARC.slope * Math.abs(last.y - first.y));
    const path = `M${text(first)}C${text({ x: out, y: first.y })} ${text({ x: out, y: last.y })} ${text(last)}`;
    const label = { x: (Math.max(first.x, last.x) + 3 * out) / 4, y: (first.y + last.y) / 2 };
    return { path, label, reach: label.x + HALF_LABEL };
  }
  const isForward = from.outer.x < to.outer.x;
  const points = [
    { x: isForward ? rightOf(from.box) : from.box.x, y: one.y },
    ...bends,
    { x: isForward ? to.box.x : rightOf(to.box), y: other.y },
  ];
  let path = `M${text(points[0] ?? one)}`;
  let label: Point = one;
  let longest = -1;
  points.slice(1).forEach((point, index) => {
    const before = points[index] ?? point;
    const half = (before.x + point.x) / 2;
    path += `C${text({ x: half, y: before.y })} ${text({ x: half, y: point.y })} ${text(point)}`;
    const length = Math.hypot(point.x - before.x, point.y - before.y);
    if (length > longest) [label, longest] = [onCurve(before, point), length];
  });
  return { path, label, reach: 0 };
}

/** The point of the label on the S-shaped curve between two points. */
function onCurve(from: Point, to: Point): Point {
  const t = LABEL_PART;
  const half = (from.x + to.x) / 2;
  const [a, b, c, d] = [(1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t ** 2, t ** 3];
  return { x: a * from.x + (b + c) * half + d * to.x, y: (a + b) * from.y + (c + d) * to.y };
}

const rightOf = ({ x, width }: Box) => x + width;
const middle = ({ x, y, width, height }: Box): Point => ({ x: x + width / 2, y: y + height / 2 });
const text = ({ x, y }: Point) => `${x.toFixed(1)} ${y.toFixed(1)}`;

const turnedPoint = ({ x, y }: Point): Point => ({ x: y, y: x });
const turnedBox = ({ x, y, width, height }: Box): Box => ({ x: y, y: x, width: height, height: width });

const turnedEnd = ({ box, outer }: End): End => ({ box: turnedBox(box), outer: turnedBox(outer) });

/** The line with x and y exchanged. */
function turned({ path, label, reach }: Line): Line {
  return { path: path.replace(/(-?[\d.]+) (-?[\d.]+)/g, "$2 $1"), label: turnedPoint(label), reach };
}
