import { expect, test } from "vitest";
import { listSeers } from "./model.ts";

const ada = { id: "1", name: "Ada", email: "ada@acme.example" };
const grace = { id: "2", name: "Grace", email: "grace@acme.example" };

test("somebody whom two ways let in is listed once, with both", () => {
  const ways = [
    { why: "Admin", people: [grace] },
    { why: "Group Support", people: [grace, ada] },
    { why: "Group Nobody", people: [] },
  ];
  expect(listSeers(ways)).toEqual([
    { ...ada, why: ["Group Support"] },
    { ...grace, why: ["Admin", "Group Support"] },
  ]);
});
