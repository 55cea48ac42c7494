// A simulated pendulum, printed as a moving dot. `--rate N`: steps per second.
const rate = Number(process.argv[process.argv.indexOf("--rate") + 1]) || 1;
let angle = 1.2;
let speed = 0;
let time = 0;
console.log(`world at ${rate} steps a second`);
setInterval(() => {
  for (let substep = 0; substep < 20; substep++) {
    speed -= 9.81 * Math.sin(angle) * (0.25 / 20);
    angle += speed * (0.25 / 20);
  }
  time += 0.25;
  const column = Math.round(20 + (angle / 1.3) * 18);
  console.log(`t=${time.toFixed(2).padStart(8)} ${" ".repeat(column)}\x1b[36m●\x1b[0m`);
}, 1000 / rate);
