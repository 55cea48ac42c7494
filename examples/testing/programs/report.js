// Prints the temperature ten times per second.
import { connect } from "node:net";
import { createInterface } from "node:readline";

const store = connect(process.env.STORE);
createInterface({ input: store }).on("line", (value) => console.log(`temperature ${value}`));
setInterval(() => store.write("get temperature\n"), 100);
