import { expect, test } from "vitest";
import { GOOD, Rig } from "./rig.ts";

test("names are listed by kind and prefix, sorted and each once, without those that control a terminal", async () => {
  const topics = ["sim/pose", "arm/pose", "sim/\u001b[2J"].map((name) => ({ name }));
  await using rig = await Rig.start({ extensions: [{ http: { names: { topic: async () => topics } } }] });
  rig.control.update("sim/eyes", { state: "error" });
  const names = async (query: string) => (await rig.get(`/mgr/names?${query}`, { authorization: GOOD })).text();

  expect(await names("kind=process&kind=group&prefix=sim")).toBe("sim\tgroup\nsim/eyes\terror\nsim/world\tstopped\n");
  expect(await names("kind=topic")).toBe("arm/pose\t\nsim/pose\t\n");
  expect(await names("kind=topic&prefix=nothing")).toBe("");
  expect(await names("kind=host")).toContain("testhost\t\n");
});

test("an unknown kind is refused with the kinds that there are", async () => {
  await using rig = await Rig.start();
  const response = await rig.get("/mgr/names?kind=planet", { authorization: GOOD });
  expect(response.status).toBe(400);
  expect(await response.text()).toMatch(/kind must be one of process, group, host.*, not "planet"/);
});
