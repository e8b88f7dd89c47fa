import { expect, test } from "vitest";
import { parseEnvironmentFile, resolveSetting } from "./environment.ts";
import { roleNames } from "./role-names.ts";
import { environmentOfRole } from "./roles.ts";

test("without any database both are the embedded one, with small pools", () => {
  const { environment, embeddedPostgres, embeddedRedis } = resolveSetting({ SIGHTLINE_POSTGRES_PORT: "15433", DATABASE_URL: "" });
  expect({ embeddedPostgres, embeddedRedis }).toEqual({ embeddedPostgres: true, embeddedRedis: true });
  expect(environment["DATABASE_URL"]).toBe("postgres://postgres@127.0.0.1:15433/postgres");
  expect(environment["CODEINDEX_DATABASE_URL"]).toBe(environment["DATABASE_URL"]);
  expect(environment["DATABASE_POOL_SIZE"]).toBe("4");
});

test.each(["DATABASE_URL", "CODEINDEX_DATABASE_URL"])("%s alone is both databases, and nothing is embedded but Redis", (name) => {
  const { environment, embeddedPostgres, embeddedRedis } = resolveSetting({ [name]: "postgres://server/one" });
  expect({ embeddedPostgres, embeddedRedis }).toEqual({ embeddedPostgres: false, embeddedRedis: true });
  expect(environment["DATABASE_URL"]).toBe("postgres://server/one");
  expect(environment["CODEINDEX_DATABASE_URL"]).toBe("postgres://server/one");
  expect(environment["DATABASE_POOL_SIZE"]).toBeUndefined();
});

test("another port of a part is known to everyone who calls it", () => {
  const { environment } = resolveSetting({ IDENTITY_PORT: "18070", CODEINDEX_PORT: "18080", CONSOLE_PORT: "13000" });
  expect(environment).toMatchObject({
    IDENTITY_JWKS_URL: "http://127.0.0.1:18070/.well-known/jwks.json",
    IDENTITY_EPOCHS_URL: "http://127.0.0.1:18070/.well-known/credential-epochs",
    CODEINDEX_JWT_EPOCHS_URL: "http://127.0.0.1:18070/.well-known/credential-epochs",
    CODEINDEX_JWT_ISSUER: "http://localhost:13000",
    CODEINDEX_JWT_JWKS_URL: "http://127.0.0.1:18070/.well-known/jwks.json",
    IDENTITY_URL: "http://127.0.0.1:18070",
    CODEINDEX_URL: "http://127.0.0.1:18080",
    CODEINDEX_PUBLIC_URL: "http://localhost:18080",
    PUBLIC_URL: "http://localhost:13000",
  });
});

test("the code index asks tokens of our own identity for its issuer, and is told nothing of a provider that is named", () => {
  expect(resolveSetting({ PUBLIC_URL: "https://sightline.example.org" }).environment).toMatchObject({
    CODEINDEX_JWT_ISSUER: "https://sightline.example.org",
  });
  const { environment } = resolveSetting({ CODEINDEX_JWT_JWKS_URL: "https://provider.example/keys" });
  expect(environment["CODEINDEX_JWT_ISSUER"]).toBeUndefined();
  expect(environment["CODEINDEX_JWT_EPOCHS_URL"]).toBeUndefined();
  expect(environment["IDENTITY_EPOCHS_URL"]).toBe("http://127.0.0.1:8070/.well-known/credential-epochs");
});

test("the token of uploads reaches no role", () => {
  const environment = { SIGHTLINE_TOKEN: "codeindex_1", LOG_FORMAT: "json", HOME: "/home/ada" };
  for (const role of roleNames) {
    expect(environmentOfRole(role, environment)).toEqual({ LOG_FORMAT: "json", HOME: "/home/ada" });
  }
});

test.each([
  ["A=redis://:pa#ss@host", "redis://:pa#ss@host"],
  ["A=redis://:pa#ss#@host # the cache", "redis://:pa#ss#@host"],
  ["A=value # comment", "value"],
  ["A=value\t#comment\r\nB=#", "value"],
  ['A="correct horse #battery" # quoted', "correct horse #battery"],
  ["A='correct horse #battery'", "correct horse #battery"],
  ['A=`it\'s "#1"`', 'it\'s "#1"'],
  ["export A = one#two", "one#two"],
  ["A=#only a comment", ""],
  ["\uFEFFA=marked", "marked"],
  ['A="\nB=one#two\n"', "\nB=one#two\n"],
])("a .env may have # in a value: %j", (text, value) => {
  expect(parseEnvironmentFile(text)["A"]).toBe(value);
  expect(parseEnvironmentFile(text)["B"] ?? "").toBe("");
});
