import { runInNewContext } from "node:vm";
import { refusal } from "@sightline/foundation/errors";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { RE2JS } from "re2js";
import { z } from "zod";
import { jsonObjectSchema, type JsonObject } from "#contract.ts";

/** Compares every element with every other, which a schema of a stranger could have done for minutes. */
const UNBOUNDED = "uniqueItems";
const MAX_CHARACTERS = 100_000;
const TIME_MS = 500;
/** Characters of a schema times those of a value: what follows no reference looks at each once for each, which takes milliseconds. */
const SHORT = 10_000_000;
const REFERENCE = /"\$(?:ref|dynamicRef)":/;

/** Patterns of strangers take linear time. */
const linear = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern);
    return { test: (text: string) => compiled.matcher(text).find() };
  },
  { code: "linear" },
);

/** @returns what says why a value does not fit, or undefined when it does. @throws {AppError} `invalid_schema`, when it is no JSON schema. */
export function compileSchema(schema: JsonObject, name: string): (value: unknown) => string | undefined {
  const text = JSON.stringify(schema);
  if (text.length > MAX_CHARACTERS) {
    throw invalid(name, `it is longer than ${MAX_CHARACTERS} characters`);
  }
  if (text.includes(`"${UNBOUNDED}":`)) {
    throw invalid(name, `${UNBOUNDED} is not supported: leave it out`);
  }
  // Both are of numbers, however they were written.
  const fits = compile(jsonObjectSchema.parse(JSON.parse(text)), name);
  const run = (value: unknown) => (fits(value) ? undefined : describe(fits));
  const refers = REFERENCE.test(text);
  return (value) => {
    const json = JSON.stringify(value);
    const plain: unknown = JSON.parse(json);
    return !refers && text.length * json.length < SHORT ? run(plain) : withinTime(() => run(plain));
  };
}

/** A schema may refer to itself, so that following it takes for ever, or has no end. */
function withinTime(run: () => string | undefined): string | undefined {
  try {
    return z
      .string()
      .optional()
      .parse(runInNewContext("run()", { run }, { timeout: TIME_MS }));
  } catch (error) {
    // An error of the new context is no Error of this one.
    const code: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "code") : undefined;
    if (error instanceof RangeError || code === "ERR_SCRIPT_EXECUTION_TIMEOUT") {
      return "could not be followed to its end by this schema";
    }
    throw error;
  }
}

function compile(schema: JsonObject, name: string): ValidateFunction {
  try {
    return new Ajv2020({ strict: false, logger: false, validateFormats: false, code: { regExp: linear } }).compile(schema);
  } catch (error) {
    throw invalid(name, error instanceof Error ? error.message : String(error));
  }
}

function describe({ errors }: ValidateFunction): string {
  const [first] = errors ?? [];
  return first === undefined
    ? "it does not fit"
    : `${first.instancePath === "" ? "it" : first.instancePath} ${first.message ?? "does not fit"}`;
}

const invalid = (name: string, why: string) => refusal(400, "invalid_schema", `${name} is no JSON schema that can be used: ${why}.`);
