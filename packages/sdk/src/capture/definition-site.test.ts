import { expect, it } from "vitest";
import { mark } from "#testing/graph-agent.ts";
import { definitionSite } from "./definition-site.ts";

function here() {
  return 1;
}

it("says where a function of the application is defined, wherever it is handed over, and nothing of others", () => {
  expect(definitionSite(here)).toMatchObject({ file: "packages/sdk/src/capture/definition-site.test.ts", function: "here" });
  expect(definitionSite(mark)).toMatchObject({ file: "packages/sdk/testing/graph-agent.ts", function: "mark" });
  expect(definitionSite(here.bind(null))).toBeUndefined();
  expect(definitionSite(expect.extend)).toBeUndefined();
  expect(Object.getOwnPropertySymbols(globalThis)).not.toContain(Symbol.for("sightline.asked"));
});
