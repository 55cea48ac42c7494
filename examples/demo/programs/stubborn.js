// Ignores SIGTERM.
let refusals = 0;
process.on("SIGTERM", () => console.log(`SIGTERM number ${++refusals}: no.`));
console.log("I ignore SIGTERM");
setInterval(() => console.log("still here"), 5000);
