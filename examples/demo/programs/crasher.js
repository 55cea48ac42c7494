// Works for a moment, then dies of an uncaught error.
console.log("starting the engine …");
setTimeout(() => {
  throw new Error("the engine is on fire");
}, 1500);
