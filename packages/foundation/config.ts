import { z } from "zod";
import { redisAddresses } from "./redis-addresses.ts";

/** One environment variable: what it means, what it accepts, and what it is when it is not set. */
export type Variable<Schema extends z.ZodType = z.ZodType> = {
  readonly doc: string;
  readonly schema: Schema;
  /** The text used when the variable is not set. Without it the variable is required unless its schema is optional. */
  readonly default?: string;
  /** Whether the value must never be printed. */
  readonly secret?: boolean;
};

export type Variables = Readonly<Record<string, Variable>>;

export type ConfigOf<Definitions extends Variables> = {
  readonly [Name in keyof Definitions]: z.output<Definitions[Name]["schema"]>;
};

/** Picks the variables that a process reads when it reads no others. */
export function pickVariables<Definitions extends Variables, Name extends keyof Definitions & string>(
  definitions: Definitions,
  names: readonly Name[],
): Pick<Definitions, Name> {
  const picked = Object.fromEntries(names.map((name) => [name, definitions[name]]));
  // Exactly these names were taken from `definitions`.
  return picked as Pick<Definitions, Name>;
}

/** Lists everything that is wrong with the environment, at once. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      `The configuration has ${problems.length} problem${problems.length === 1 ? "" : "s"}:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`,
    );
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** What is wrong with the variables that `make` reads, all of it; for a start that is to fail before anything runs. */
export function listConfigProblems(make: () => unknown): readonly string[] {
  try {
    make();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) {
      return error.problems;
    }
    throw error;
  }
}

/**
 * Reads the variables out of `environment`. An empty text counts as not set.
 *
 * @throws {ConfigError} naming every missing or wrong variable, never the value of a secret one.
 */
export function readConfig<Definitions extends Variables>(
  definitions: Definitions,
  environment: Readonly<Record<string, string | undefined>>,
): ConfigOf<Definitions> {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, variable] of Object.entries(definitions)) {
    const given = environment[name];
    const text = given === undefined || given === "" ? variable.default : given;
    const parsed = variable.schema.safeParse(text);
    if (parsed.success) {
      values[name] = parsed.data;
    } else if (text === undefined) {
      problems.push(`${name} is not set: ${variable.doc}`);
    } else {
      const reason = parsed.error.issues.map((issue) => issue.message).join("; ");
      problems.push(
        variable.secret === true ? `${name} is not valid: ${reason}` : `${name}=${JSON.stringify(text)} is not valid: ${reason}`,
      );
    }
  }
  if (problems.length > 0) {
    throw new ConfigError(problems);
  }
  // Every name of `definitions` was parsed by its own schema just above.
  return values as ConfigOf<Definitions>;
}

/** Renders the variables as a Markdown table, for the documents. */
export function describeVariables(definitions: Variables): string {
  const rows = Object.entries(definitions).map(([name, variable]) => {
    const fallback =
      variable.default === undefined
        ? variable.schema.safeParse(undefined).success
          ? "–"
          : "required"
        : `\`${variable.default === "" ? '""' : variable.default}\``;
    return `| \`${name}\` | ${variable.doc.replaceAll("|", "\\|")} | ${fallback} |`;
  });
  return ["| variable | meaning | default |", "| --- | --- | --- |", ...rows].join("\n");
}

/** `true/false/1/0/yes/no/on/off` as text. */
export function booleanVariable() {
  return z.stringbool({ truthy: ["true", "1", "yes", "on"], falsy: ["false", "0", "no", "off"], error: "expected true or false" });
}

/** A whole number as text, within bounds. */
export function integerVariable(minimum: number, maximum: number) {
  const reason = `expected a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^-?\d+$/, reason)
    .transform(Number)
    .pipe(z.number(reason).min(minimum, reason).max(maximum, reason));
}

/** A TCP port as text; 0 asks the system for a free one. */
export function portVariable() {
  return integerVariable(0, 65_535);
}

/** A JSON list of texts, e.g. `["https://sightline.example.org"]`. */
export function jsonListVariable() {
  return z.string().transform((text, context): readonly string[] => {
    const parsed = parseTextList(text);
    if (parsed === undefined) {
      context.addIssue({ code: "custom", message: 'expected a JSON list of texts, e.g. ["https://sightline.example.org"]' });
      return z.NEVER;
    }
    return parsed;
  });
}

function parseTextList(text: string): readonly string[] | undefined {
  try {
    return z.array(z.string()).parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const LOG_LEVELS = ["debug", "info", "warning", "error"] as const;

/** DEBUG, INFO, WARNING or ERROR in either case, as the level's name in pino. */
export function logLevelVariable() {
  return z
    .string()
    .transform((text) => text.toLowerCase())
    .pipe(z.enum(LOG_LEVELS, "expected DEBUG, INFO, WARNING or ERROR"))
    .transform((level) => (level === "warning" ? "warn" : level));
}

/** A PostgreSQL connection string. */
export function postgresUrlVariable() {
  return urlVariable(["postgres:", "postgresql:"], "expected postgres://user:password@host:port/database");
}

/** The address of a Redis, or of several nodes of a Redis Cluster. */
export function redisUrlVariable() {
  const reason = "expected redis://user:password@host:port, of a Redis Cluster several hosts separated by commas";
  return z.string(reason).refine((text) => redisAddresses(text).length > 0, reason);
}

/** An http(s) address without a trailing slash. */
export function httpUrlVariable() {
  return urlVariable(["http:", "https:"], "expected an address such as https://sightline.example.org").transform((text) =>
    text.replace(/\/+$/, ""),
  );
}

function urlVariable(protocols: readonly string[], reason: string) {
  return z.string(reason).refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), reason);
}
