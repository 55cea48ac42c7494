/** `1:02:03.4` of milliseconds. */
export function clockText(milliseconds: number): string {
  const tenths = Math.floor(milliseconds / 100);
  const [hours, minutes, seconds] = [Math.floor(tenths / 36_000), Math.floor(tenths / 600) % 60, Math.floor(tenths / 10) % 60];
  const two = (value: number) => String(value).padStart(2, "0");
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds)}.${tenths % 10}`;
}
