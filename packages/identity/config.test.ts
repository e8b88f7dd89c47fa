import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ConfigError, describeVariables, readConfig } from "@sightline/foundation/config";
import { identityVariables } from "./config.ts";

const required = {
  DATABASE_URL: "postgres://sightline@localhost/sightline",
  SECRET_KEY: "secret-key-0123456789-0123456789-0123456789",
  ENCRYPTION_KEYS: "k1:ring-secret-0123456789-0123456789",
};

describe("identity's variables", () => {
  test("three are required, the others have the documented defaults", () => {
    expect(readConfig(identityVariables, required)).toEqual({
      ...required,
      ENCRYPTION_KEYS: [{ id: "k1", secret: "ring-secret-0123456789-0123456789" }],
      DATABASE_POOL_SIZE: 10,
      PUBLIC_URL: "http://localhost:3000",
      CORS_ORIGINS: [],
      ADMIN_EMAIL: undefined,
      ADMIN_PASSWORD: undefined,
      REGISTRATION: "closed",
      ENVIRONMENT: "production",
      LOG_LEVEL: "info",
      IDENTITY_PORT: 8070,
    });
  });

  test("a key ring lists its keys in order, the sealing one first", () => {
    const ring = "new:new-secret-0123456789-0123456789, old:old-secret-0123456789-0123456789";

    expect(readConfig(identityVariables, { ...required, ENCRYPTION_KEYS: ring }).ENCRYPTION_KEYS.map(({ id }) => id)).toEqual([
      "new",
      "old",
    ]);
  });

  test.each([
    { name: "SECRET_KEY", value: "short-secret" },
    { name: "ENCRYPTION_KEYS", value: "ring-secret-without-id-0123456789-0123456789" },
    { name: "ENCRYPTION_KEYS", value: "k1:short-secret" },
    { name: "ENCRYPTION_KEYS", value: "k1:ring-secret-0123456789-0123456789,k1:ring-secret-0123456789-9876543210" },
    { name: "ADMIN_PASSWORD", value: "elevenchars" },
  ])("a wrong $name is named without its value", ({ name, value }) => {
    const read = () => readConfig(identityVariables, { ...required, [name]: value });

    expect(read).toThrow(ConfigError);
    expect(read).toThrow(name);
    expect(read).not.toThrow(value);
  });

  test.each(['["*"]', '["https://sightline.example.org/console"]', '["null"]', "https://sightline.example.org"])(
    "CORS_ORIGINS=%s is no list of origins",
    (value) => {
      expect(() => readConfig(identityVariables, { ...required, CORS_ORIGINS: value })).toThrow("CORS_ORIGINS");
    },
  );

  test("everything that is wrong is named at once", () => {
    expect(() => readConfig(identityVariables, { ADMIN_EMAIL: "nobody", REGISTRATION: "maybe" })).toThrow(
      expect.objectContaining({ problems: expect.objectContaining({ length: 5 }) }),
    );
  });

  test("the documents hold the table of the variables as they are", async () => {
    const document = await readFile(join(import.meta.dirname, "../../docs/identity.md"), "utf8");

    expect(withoutPadding(document)).toContain(withoutPadding(describeVariables(identityVariables)));
  });
});

function withoutPadding(table: string): string {
  return table.replaceAll(/ +/g, " ").replaceAll(/-+/g, "-");
}
