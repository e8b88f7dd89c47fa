import { expect, it } from "vitest";
import { toCsv } from "./items-csv.ts";
import { comparedItem } from "./testing/comparison.ts";

it("writes a row an item, with both outputs and both means of each score", () => {
  const [header, row] = toCsv([comparedItem(21)]).split("\r\n");
  expect(header).toBe("item,split,required,input,expected,baseline output,candidate output,baseline exact_match,candidate exact_match");
  expect(row).toBe("0190a1b2-0000-7000-8000-000000000021,test,true,Question 21,Monday,On Monday,On Friday,1,0");
});

it("quotes what has commas, and keeps a spreadsheet from running a formula", () => {
  const item = { ...comparedItem(1), input: JSON.stringify('=SUM(A1), "x"'), expected: "-3" };
  expect(toCsv([item])).toContain(`,"'=SUM(A1), ""x""",-3,`);
});
