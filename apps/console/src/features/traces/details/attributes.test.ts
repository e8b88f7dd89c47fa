import { expect, test } from "vitest";
import { splitAttributes } from "./attributes.ts";

test("ids and hashes stand apart from what people read", () => {
  const { human, technical } = splitAttributes({
    run_id: "01a2",
    graph_hash: "4e1c",
    "otel.span_id": "ab",
    langgraph_step: 3,
    customer: "Ada",
    finish_reasons: ["stop"],
    stepfather: "no step of a graph",
  });
  expect(Object.keys(technical)).toEqual(["run_id", "graph_hash", "otel.span_id", "langgraph_step"]);
  expect(Object.keys(human)).toEqual(["customer", "finish_reasons", "stepfather"]);
});
