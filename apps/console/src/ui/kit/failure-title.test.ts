import { expect, it } from "vitest";
import { failureTitle } from "./failure-title.ts";

it("says that a change was not made only where that is known", () => {
  const refused = Object.assign(new Error("Taken."), { status: 409 });
  const unanswered = Object.assign(new Error("Could not be reached."), { status: 0 });
  expect(failureTitle(refused, "The user was not created")).toBe("The user was not created");
  expect(failureTitle(unanswered, "The user was not created")).toBe("No response: it may have been done anyway");
});
