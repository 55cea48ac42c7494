// Prints readings at a fixed rate, like a driver. Arguments: name, readings per second.
const [name = "sensor", hertz = "10"] = process.argv.slice(2);
const noise = () => (Math.random() - 0.5) / 50;
let sequence = 0;
console.log(`${name}: ${hertz} Hz`);
setInterval(() => {
  const phase = sequence++ / 10;
  const reading = [Math.sin(phase) + noise(), Math.cos(phase) + noise(), 9.81 + noise()];
  console.log(`${name} #${sequence} ${reading.map((value) => value.toFixed(4).padStart(8)).join(" ")}`);
}, 1000 / Number(hertz));
