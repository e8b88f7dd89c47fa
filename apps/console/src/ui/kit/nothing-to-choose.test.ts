import { expect, it } from "vitest";
import { nothingToChoose } from "./nothing-to-choose.ts";

it("tells what is not known yet, and what could not be loaded, from what there is none of", () => {
  const none = "No such repository";
  expect(nothingToChoose({ data: undefined, error: null }, none)).toBe("Loading…");
  expect(nothingToChoose({ data: undefined, error: new Error("It is gone.") }, none)).toBe("Could not be loaded: It is gone.");
  expect(nothingToChoose({ data: [], error: null }, none)).toBe(none);
  expect(nothingToChoose({ data: [], error: new Error("The newest are not here.") }, none)).toBe(none);
});
