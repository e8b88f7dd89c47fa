import { expect, it } from "vitest";
import { findRequiredPage } from "./me.ts";

const PAST = "2020-01-01T00:00:00.000Z";
const FUTURE = "2999-01-01T00:00:00.000Z";

it.each([
  [false, null, undefined],
  [false, FUTURE, undefined],
  [false, PAST, "/admin/security"],
  [true, null, "/account/password"],
  [true, FUTURE, "/account/password"],
  // Each of the two pages sent to the other, and a new admin could open neither.
  [true, PAST, "/account/password"],
])("with a one-time password: %s, a second factor due: %s, %s opens first", (must_change_password, second_factor_due, page) => {
  expect(findRequiredPage({ must_change_password, second_factor_due })).toBe(page);
});
