import { expect, it } from "vitest";
import { readDomain } from "./company.ts";

it.each([
  ["ann@acme.example", "acme.example"],
  [" Ann@ACME.example ", "acme.example"],
  ["ann@acme", undefined],
  ["ann@acme.e", undefined],
  ["ann@", undefined],
  ["a@b@acme.example", undefined],
])("finds the domain of %j", (email, domain) => {
  expect(readDomain(email)).toBe(domain);
});
