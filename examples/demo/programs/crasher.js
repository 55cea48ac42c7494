// Runs for 1.5 s, then exits with an uncaught error.
console.log("starting the engine …");
setTimeout(() => {
  throw new Error("the engine is on fire");
}, 1500);
