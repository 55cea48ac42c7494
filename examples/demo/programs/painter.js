// Prints colours and a progress bar that is redrawn in place.
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const width = () => Math.max(10, Math.min(60, (process.stdout.columns ?? 80) - 20));
for (let picture = 1; ; picture++) {
  for (let percent = 0; percent <= 100; percent += 2) {
    const filled = Math.round((percent / 100) * width());
    process.stdout.write(
      `\r\x1b[K\x1b[38;5;${((picture * 37 + percent) % 216) + 16}m${"█".repeat(filled)}\x1b[90m${"░".repeat(width() - filled)}\x1b[0m ${percent}%`,
    );
    await pause(80);
  }
  let row = "\r\x1b[K";
  for (let hue = 0; hue < width(); hue++) {
    const wave = (shift) => Math.round(127 + 127 * Math.sin((hue / width()) * Math.PI * 2 + shift + picture));
    row += `\x1b[48;2;${wave(0)};${wave(2)};${wave(4)}m `;
  }
  console.log(`${row}\x1b[0m picture ${picture} done ✓`);
  await pause(700);
}
