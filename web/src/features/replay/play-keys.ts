/** Rates of the keys and buttons, seconds of the recording a second. */
const RATES = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
/** What arrow keys seek by, seconds, as in `mgr play`; of a short play, a part of it. */
const SEEK_S = 5;
const FAR_S = 60;

/** The next rate in a direction; the same one at the end. */
export function nextRate(rate: number, isFaster: boolean): number {
  return (isFaster ? RATES.find((each) => each > rate) : RATES.findLast((each) => each < rate)) ?? rate;
}

/** The position that a key goes to; null: it is no key of the slider. */
export function positionAfter(key: string, position: number, length: number): number | null {
  const near = Math.min(SEEK_S, length / 20);
  const far = Math.min(FAR_S, length / 4);
  const positions: Readonly<Record<string, number>> = {
    ArrowLeft: position - near,
    ArrowRight: position + near,
    ArrowDown: position - far,
    PageDown: position - far,
    ArrowUp: position + far,
    PageUp: position + far,
    Home: 0,
    End: length,
  };
  const wanted = Object.hasOwn(positions, key) ? positions[key] : undefined;
  return wanted === undefined ? null : Math.min(length, Math.max(0, wanted));
}
