import { expect, test } from "vitest";
import { phaseLabel } from "./job-phase.ts";

test("a phase that this version does not know is shown as it is called", () => {
  expect(phaseLabel("files")).toBe("Reading files");
  expect(phaseLabel("polish")).toBe("polish");
});
