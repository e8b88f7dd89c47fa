import { expect, it } from "vitest";
import { ApiError, failureTitle } from "./api-error.ts";

it("says that a change was not made only where that is known", () => {
  const refused = new ApiError({ status: 409, code: "email_taken", message: "Taken." });
  const unanswered = new ApiError({ status: 0, code: "unreachable", message: "Could not be reached." });
  expect(failureTitle(refused, "The user was not created")).toBe("The user was not created");
  expect(failureTitle(unanswered, "The user was not created")).toBe("No answer came: it may be done all the same");
});
