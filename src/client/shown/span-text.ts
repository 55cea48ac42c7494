/** How long something took: "0.4 s", "12 s", "3 min 5 s", "2 h 10 min". */
export function spanText(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds / 1_000);
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}
