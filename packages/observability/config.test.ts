import { ConfigError, readConfig } from "@sightline/foundation/config";
import { expect, test } from "vitest";
import { observabilityVariables } from "./config.ts";

const required = {
  DATABASE_URL: "postgres://sightline@localhost/sightline",
  SECRET_KEY: "s".repeat(43),
  API_KEY: `studio_${"0a".repeat(32)}`,
  ENCRYPTION_KEYS: `k1:${"x".repeat(43)}`,
  OBSERVABILITY_REDIS_URL: "redis://localhost:6379",
};

test("the defaults are those of the contract", () => {
  expect(readConfig(observabilityVariables, required)).toMatchObject({
    CORS_ORIGINS: [],
    LOG_LEVEL: "info",
    OBSERVABILITY_ENABLED: true,
    OBSERVABILITY_STREAM_NAME: "observability:events",
    OBSERVABILITY_BATCH_SIZE: 100,
    OBSERVABILITY_PORT: 8000,
  });
});

test("everything that is missing or wrong is named at once, no secret is shown", () => {
  const wrong = { ...required, API_KEY: "studio_short", DATABASE_URL: "", OBSERVABILITY_BATCH_SIZE: "0", CORS_ORIGINS: "*" };
  const error = problemsOf(wrong);
  expect(error.problems).toHaveLength(4);
  expect(error.message).toMatch(/DATABASE_URL is not set[^]*API_KEY is not valid[^]*CORS_ORIGINS="\*"[^]*OBSERVABILITY_BATCH_SIZE="0"/);
  expect(error.message).not.toContain("studio_short");
});

function problemsOf(environment: Record<string, string>): ConfigError {
  try {
    readConfig(observabilityVariables, environment);
  } catch (error) {
    if (error instanceof ConfigError) {
      return error;
    }
  }
  throw new Error("the configuration was taken");
}
