import { expect, test } from "vitest";
import { askedOfPerson, splitAttributes } from "./attributes.ts";

test("ids and hashes stand apart from what people read", () => {
  const { human, technical } = splitAttributes({
    run_id: "01a2",
    graph_hash: "4e1c",
    "otel.span_id": "ab",
    langgraph_step: 3,
    "traceloop.association.properties.langgraph_node": "ask",
    "traceloop.association.properties.customer": "Ada",
    "input.value": "{}",
    customer: "Ada",
    finish_reasons: ["stop"],
    stepfather: "no step of a graph",
  });
  expect(Object.keys(technical)).toEqual([
    "run_id",
    "graph_hash",
    "otel.span_id",
    "langgraph_step",
    "traceloop.association.properties.langgraph_node",
    "input.value",
  ]);
  expect(Object.keys(human)).toEqual(["traceloop.association.properties.customer", "customer", "finish_reasons", "stepfather"]);
});

test("what is empty says nothing to people", () => {
  const { human, technical } = splitAttributes({
    metadata: {},
    tags: [],
    note: "",
    customer: "Ada",
    retries: 0,
    cached: false,
    parent: null,
  });
  expect(human).toEqual({ customer: "Ada", retries: 0, cached: false });
  expect(Object.keys(technical)).toEqual(["metadata", "tags", "note", "parent"]);
});

test("what an interrupted step asked is read, and is no attribute any more", () => {
  const asked = { interrupts: [{ value: "approve?", id: "92" }, { value: { amount: 7 } }] };
  expect(askedOfPerson(asked)).toEqual(["approve?", { amount: 7 }]);
  expect(splitAttributes(asked).human).toEqual({});
  expect([askedOfPerson({}), askedOfPerson({ interrupts: ["a", null] }), askedOfPerson({ interrupts: "of others" })]).toEqual([[], [], []]);
  expect(splitAttributes({ interrupts: "of others" }).human).toEqual({ interrupts: "of others" });
});
