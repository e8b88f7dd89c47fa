import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  booleanVariable,
  ConfigError,
  describeVariables,
  httpUrlVariable,
  integerVariable,
  jsonListVariable,
  logLevelVariable,
  portVariable,
  postgresUrlVariable,
  readConfig,
  redisUrlVariable,
  type Variables,
} from "./config.ts";

const variables = {
  DATABASE_URL: { doc: "Where the data is.", schema: postgresUrlVariable(), secret: true },
  SECRET_KEY: { doc: "Signs things.", schema: z.string().min(32, "needs at least 32 characters"), secret: true },
  PORT: { doc: "Where it listens.", schema: portVariable(), default: "8000" },
  LABEL: { doc: "A name | shown.", schema: z.string().optional() },
} as const satisfies Variables;

const complete = { DATABASE_URL: "postgres://me:hunter2@db/sightline", SECRET_KEY: "x".repeat(32) };

describe("readConfig", () => {
  test("reads what is set and falls back to the defaults", () => {
    expect(readConfig(variables, complete)).toEqual({ ...complete, PORT: 8000, LABEL: undefined });
  });

  test("takes an empty text as not set", () => {
    expect(readConfig(variables, { ...complete, PORT: "", LABEL: "" })).toMatchObject({ PORT: 8000, LABEL: undefined });
  });

  test("names every missing and wrong variable at once", () => {
    const error = failureOf({ SECRET_KEY: "short", PORT: "eighty" });
    expect(error.problems).toEqual([
      "DATABASE_URL is not set: Where the data is.",
      "SECRET_KEY is not valid: needs at least 32 characters",
      'PORT="eighty" is not valid: expected a whole number from 0 to 65535',
    ]);
    expect(error.message).toContain("3 problems");
  });

  test("never shows the value of a secret variable", () => {
    const error = failureOf({ DATABASE_URL: "mysql://me:hunter2@db", SECRET_KEY: "hunter2" });
    expect(error.problems).toHaveLength(2);
    expect(error.message).not.toContain("hunter2");
  });
});

describe("variable kinds", () => {
  test.each([
    ["a whole number", integerVariable(1, 10), ["1", "10"], ["0", "11", "1.5", "1e1", "ten", " 1", "0x1"]],
    ["a boolean", booleanVariable(), ["true", "FALSE", "1", "0", "yes", "no", "on", "off"], ["maybe", "2"]],
    ["a JSON list", jsonListVariable(), ["[]", '["https://a.example"]'], ["a", "{}", "[1]", '"a"', "["]],
    ["a log level", logLevelVariable(), ["DEBUG", "info", "Warning", "ERROR"], ["trace", "loud"]],
    ["a PostgreSQL address", postgresUrlVariable(), ["postgres://h/d", "postgresql://u:p@h:1/d"], ["mysql://h/d", "h:5432", "postgres"]],
    [
      "a Redis address",
      redisUrlVariable(),
      ["redis://h:6379", "rediss://u:p@h/1", "redis://a:7000,b:7000"],
      ["http://h", "h:6379", "redis://a:7000,", "redis://a:x,b:1"],
    ],
    ["an http address", httpUrlVariable(), ["http://h", "https://h/x/"], ["ftp://h", "h", "//h"]],
  ])("%s is accepted or refused by its text", (_kind, schema, accepted, refused) => {
    expect(accepted.filter((text) => !schema.safeParse(text).success)).toEqual([]);
    expect(refused.filter((text) => schema.safeParse(text).success)).toEqual([]);
  });

  test("the spec's WARNING is pino's warn", () => {
    expect(logLevelVariable().parse("WARNING")).toBe("warn");
  });

  test("an http address loses its trailing slashes", () => {
    expect(httpUrlVariable().parse("https://sightline.example//")).toBe("https://sightline.example");
  });
});

test("describeVariables makes a table row of every variable", () => {
  expect(describeVariables(variables).split("\n")).toEqual([
    "| variable | meaning | default |",
    "| --- | --- | --- |",
    "| `DATABASE_URL` | Where the data is. | required |",
    "| `SECRET_KEY` | Signs things. | required |",
    "| `PORT` | Where it listens. | `8000` |",
    "| `LABEL` | A name \\| shown. | – |",
  ]);
});

function failureOf(environment: Readonly<Record<string, string>>): ConfigError {
  try {
    readConfig(variables, environment);
  } catch (error) {
    if (error instanceof ConfigError) {
      return error;
    }
  }
  throw new Error("The configuration was accepted.");
}
