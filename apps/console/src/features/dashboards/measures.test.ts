import { expect, test } from "vitest";
import { chartName, MAX_CHART_NAME } from "./measures.ts";

test("a chart that nobody names is called by what it shows, in as many characters as a name may have", () => {
  expect(chartName("cost", "user")).toBe("Cost by user");
  expect(chartName("p95", null)).toBe("p95 duration");
  expect(chartName("tokens", `metadata.${"k".repeat(200)}`)).toHaveLength(MAX_CHART_NAME);
});
