import { expect, test } from "vitest";
import { demandValidConfig } from "./check-setting.ts";

const GIVEN = {
  DATABASE_URL: "postgres://app:secret@127.0.0.1:5432/sightline",
  OBSERVABILITY_REDIS_URL: "redis://127.0.0.1:6379",
  SECRET_KEY: "s".repeat(43),
  API_KEY: `studio_${"0".repeat(64)}`,
  ENCRYPTION_KEYS: `k1:${"e".repeat(43)}`,
};

test("a missing webhook secret is demanded, and not told as something that may be left out", () => {
  const start = () => demandValidConfig(["code-index"], GIVEN);
  expect(start).toThrow(/CODEINDEX_WEBHOOK_SECRET is not set: .*`openssl rand -hex 32`/);
  expect(start).not.toThrow(/without it/);
});

test("what is set for a start with a database of its own is all that it needs", () => {
  expect(() => demandValidConfig(["code-index"], { ...GIVEN, CODEINDEX_WEBHOOK_SECRET: "w".repeat(64) })).not.toThrow();
});

test.each([
  ["DATABASE_URL", "CODEINDEX_DATABASE_URL"],
  ["CODEINDEX_DATABASE_URL", "DATABASE_URL"],
])("an address in %s that is wrong is told once, and not of %s, which was never set", (name, other) => {
  const { DATABASE_URL: _, ...rest } = GIVEN;
  const start = (given: object) => () => demandValidConfig(["identity"], { ...rest, [other]: "", ...given });
  expect(start({ [name]: "mysql://server/one" })).toThrow(new RegExp(`problem:?\\s+- ${name} is not valid`));
  expect(start({ [name]: "mysql://server/one" })).not.toThrow(new RegExp(`- ${other} `));
  expect(start({ [name]: "mysql://server/one", [other]: "mysql://server/two" })).toThrow(/has 2 problems/);
});
