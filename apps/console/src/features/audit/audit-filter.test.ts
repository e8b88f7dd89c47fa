import { describe, expect, it } from "vitest";
import { NO_FILTER, toFilter, isFiltered, toQuery, toSearch } from "./audit-filter.ts";

const USER = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";

describe("the audit's filter in the address", () => {
  it("comes back as it went in", () => {
    const filter = {
      events: ["login_failed", "2fa_locked"],
      user: USER,
      ip: "2001:db8::1",
      from: "2026-11-21T08:30:00.000Z",
      to: "2026-11-22T00:00:00.000Z",
    };
    expect(toFilter(toSearch(filter))).toEqual(filter);
    expect(toQuery(filter)).toEqual({
      event: "login_failed,2fa_locked",
      user_id: USER,
      ip: "2001:db8::1",
      from: "2026-11-21T08:30:00.000Z",
      to: "2026-11-22T00:00:00.000Z",
    });
  });

  it("leaves out what makes no sense, so that a mistyped address still shows a page", () => {
    expect(toFilter({ event: "login_ok,,login_ok,<script>", user: "ada", ip: "  ", from: "yesterday", to: "" })).toEqual({
      ...NO_FILTER,
      events: ["login_ok"],
    });
  });

  it("is UTC, whatever offset it was written with", () => {
    expect(toFilter({ from: "2026-11-21T10:30:00+02:00" }).from).toBe("2026-11-21T08:30:00.000Z");
  });

  it("is none when nothing is chosen", () => {
    expect(isFiltered(toFilter({}))).toBe(false);
    expect(isFiltered(toFilter({ ip: "203.0.113.7" }))).toBe(true);
    expect(isFiltered(toFilter({ event: "login_ok" }))).toBe(true);
  });
});
