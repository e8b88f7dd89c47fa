import { refusal } from "@sightline/foundation/errors";
import { readScoreValue, type CreateScoreRequest, type ScoreValue } from "#contract.ts";

/** The value of a request that gives a score. @throws {AppError} 400 `invalid_score`. */
export function requireScoreValue(given: Pick<CreateScoreRequest, "value" | "text_value" | "data_type">): ScoreValue {
  const read = readScoreValue(given);
  if (typeof read === "string") {
    throw refusal(400, "invalid_score", `Change the score: ${read}.`);
  }
  return read;
}
