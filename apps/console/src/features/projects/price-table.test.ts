import type { Price } from "@sightline/observability/contract";
import { expect, test } from "vitest";
import { NO_PRICE, priceRows, readPrice, toPriceText } from "./price-table.ts";

const price: Price = {
  model: "m-1",
  input: 1,
  output: 2,
  cache_read: null,
  cache_write: null,
  valid_from: "2026-01-01T00:00:00Z",
  source: null,
};
const now = new Date("2026-06-01T00:00:00Z");

test("what is typed becomes a request, also with a decimal comma and spaces", () => {
  const { request, problems } = readPrice({ ...NO_PRICE, model: " M-1 ", input: "2,50", output: " 10 ", cacheRead: "0.25" });
  expect(problems).toEqual({});
  expect(request).toEqual({ model: "M-1", input: 2.5, output: 10, cache_read: 0.25, cache_write: null });
});

test("each field says what is wrong with it", () => {
  const { problems } = readPrice({ model: " ", input: "", output: "-1", cacheRead: "free", cacheWrite: "", from: "soon" });
  expect(Object.keys(problems).toSorted((left, right) => left.localeCompare(right))).toEqual([
    "cacheRead",
    "from",
    "input",
    "model",
    "output",
  ]);
});

test("a price that is edited is the same version again, a default becomes one of one's own that begins now", () => {
  expect(readPrice(toPriceText(price)).request.valid_from).toBe("2026-01-01T00:00:00.000Z");
  expect(readPrice(toPriceText({ ...price, source: "x, 2026-01-01" })).request).not.toHaveProperty("valid_from");
});

test("of a model the newest version that has begun counts, and one's own goes before the default", () => {
  const later = { ...price, valid_from: "2026-05-01T00:00:00Z" };
  const future = { ...price, valid_from: "2027-01-01T00:00:00Z" };
  const fallback = { ...price, source: "list", valid_from: "1970-01-01T00:00:00Z" };
  const other = { ...fallback, model: "other" };
  const rows = priceRows([future, later, price, fallback, other], { search: "", ownOnly: false, now });
  expect(rows.map(({ counts }) => counts)).toEqual([false, true, false, false, true]);
  expect(priceRows([future, later, other], { search: "OTH", ownOnly: false, now })).toHaveLength(1);
  expect(priceRows([later, other], { search: "", ownOnly: true, now })).toMatchObject([{ model: "m-1" }]);
});
