import { refusal } from "@sightline/foundation/errors";
import { findMisfit, readScoreValue, type CreateScoreRequest, type ScoreValue } from "#contract.ts";
import type { Query } from "#schema.ts";
import type { InProject } from "#store/reader.ts";
import { listScoreConfigs } from "#store/score-configs.store.ts";

type Given = InProject & { readonly score: Pick<CreateScoreRequest, "name" | "value" | "text_value" | "data_type"> };

/** The value of a request that gives a score, as the project's config of its name has it. @throws {AppError} 400 `invalid_score`. */
export async function requireScoreValue(query: Query, { score, ...project }: Given): Promise<ScoreValue> {
  const [config] = await listScoreConfigs(query, { ...project, name: score.name });
  // A category is one by its config; without any, 1 and 0 are numbers.
  const read = readScoreValue({ ...score, data_type: score.data_type ?? config?.data_type });
  if (typeof read === "string") {
    throw invalidScore(read);
  }
  const misfit = config && findMisfit(config, read);
  if (misfit !== undefined) {
    throw invalidScore(`by the project's config of ${score.name}, ${misfit}`);
  }
  return read;
}

const invalidScore = (what: string) => refusal(400, "invalid_score", `Change the score: ${what}.`);
