import { expect, test } from "vitest";
import { toRequest, readWhen } from "./policy-form.ts";

const NOW = new Date("2026-11-25T12:00:00Z");
const NOTHING = {
  admins_need_second_factor_from: null,
  resets_need_two: false,
  resets_need_two_until: null,
  members_may_add_passkeys: false,
};
const required = { ...NOTHING, admins_need_second_factor_from: "2026-11-01T00:00:00.000Z" };

test("a policy is read as what it asks now", () => {
  expect(
    [NOTHING, required, { ...NOTHING, admins_need_second_factor_from: "2026-12-01T00:00:00.000Z" }].map((policy) => readWhen(policy, NOW)),
  ).toEqual(["never", "now", "day"]);
});

test.each([
  [NOTHING, { when: "never", day: "", two: false, passkeys: false }, undefined],
  [NOTHING, { when: "now", day: "", two: false, passkeys: false }, { admins_need_second_factor_from: NOW.toISOString() }],
  [NOTHING, { when: "day", day: "", two: true, passkeys: false }, undefined],
  [
    NOTHING,
    { when: "day", day: "2026-12-01", two: true, passkeys: false },
    { admins_need_second_factor_from: "2026-12-01T00:00:00.000Z", resets_need_two: true },
  ],
  [NOTHING, { when: "never", day: "", two: false, passkeys: true }, { members_may_add_passkeys: true }],
  [required, { when: "now", day: "2026-11-01", two: false, passkeys: false }, undefined],
  [required, { when: "never", day: "2026-11-01", two: false, passkeys: false }, { admins_need_second_factor_from: null }],
  [
    { ...NOTHING, resets_need_two: true, resets_need_two_until: "2026-11-26T00:00:00.000Z" },
    { when: "never", day: "", two: true, passkeys: false },
    { resets_need_two: true },
  ],
] as const)("%j asked as %j sends %j", (policy, asked, request) => {
  expect(toRequest(policy, asked, NOW)).toEqual(request);
});
