import { describe, expect, test } from "vitest";
import { z } from "zod";
import { demandValidConfig } from "#doctor/check-setting.ts";
import { roleNames } from "#settings/role-names.ts";
import { findPort } from "#settings/roles.ts";
import { readYaml } from "#testing/read-yaml.ts";

const serviceSchema = z.object({
  env_file: z.array(z.object({ path: z.string(), required: z.boolean() })).default([]),
  image: z.string(),
  command: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
});
const storeSchema = serviceSchema.partial({ environment: true });
const fileSchema = z.object({ services: z.record(z.string(), z.unknown()) });

const SECRETS: Readonly<Record<string, string>> = {
  SECRET_KEY: "x".repeat(43),
  API_KEY: `studio_${"0".repeat(64)}`,
  CODEINDEX_WEBHOOK_SECRET: "x".repeat(43),
  ENCRYPTION_KEYS: `k1:${"x".repeat(43)}`,
  POSTGRES_PASSWORD: "x".repeat(43),
};

const { services } = fileSchema.parse(readYaml("compose.yaml")[0]);

describe("compose.yaml", () => {
  test("has every role, and nothing beside them but the stores", () => {
    expect(Object.keys(services).toSorted()).toEqual([...roleNames, "postgres", "redis"].toSorted());
  });

  test.each(roleNames)("starts %s with every variable that it needs", (role) => {
    const { command, environment, env_file } = serviceSchema.parse(services[role]);
    expect(env_file).toEqual([{ path: ".env", required: false }]);
    expect(command).toEqual(["start", role]);
    const given = { ...SECRETS, ...filledIn(environment) };
    expect(() => demandValidConfig([role], given)).not.toThrow();
    // Without both of them the role would embed a store of its own.
    expect(given).toMatchObject({ DATABASE_URL: expect.any(String), OBSERVABILITY_REDIS_URL: expect.any(String) });
  });

  test("asks for a secret by name instead of starting without it", () => {
    const text = JSON.stringify(services);
    for (const name of Object.keys(SECRETS)) {
      expect(text).toContain(`\${${name}:?`);
    }
  });

  test.each([
    ["console", "3000:3000"],
    ["identity", "8070:8070"],
    ["code-index", "8080:8080"],
    ["observability", "8001:8000"],
  ] as const)("publishes %s as %s, the port that it listens on", (role, published) => {
    const { ports, environment } = serviceSchema.parse(services[role]);
    expect(ports).toEqual([published]);
    expect(published).toMatch(new RegExp(`:${findPort(role, filledIn(environment))}$`));
  });

  test("tells agents the ports that are published", () => {
    const environment = filledIn(serviceSchema.parse(services["observability"]).environment);
    expect(environment["OBSERVABILITY_PUBLIC_URL"]).toBe("http://localhost:8001");
    expect(environment["OBSERVABILITY_PUBLIC_REDIS_URL"]).toBe("redis://127.0.0.1:6380");
    expect(storeSchema.parse(services["redis"]).ports).toEqual(["127.0.0.1:6380:6379"]);
    expect(storeSchema.parse(services["postgres"]).ports).toEqual(["127.0.0.1:5433:5432"]);
  });

  test("keeps what the stores hold, in a PostgreSQL with vectors and a Redis that evicts nothing", () => {
    const [postgres, redis] = [storeSchema.parse(services["postgres"]), storeSchema.parse(services["redis"])];
    expect(postgres.image).toMatch(/^pgvector\//);
    expect(redis.command.join(" ")).toContain("--appendonly yes --appendfsync everysec --maxmemory-policy noeviction");
    expect([...postgres.volumes, ...redis.volumes]).toEqual(["postgres:/var/lib/postgresql/data", "redis:/data"]);
  });
});

/** As compose fills in `${NAME:-default}` and `${NAME:?why}` when .env holds the secrets alone. */
function filledIn(environment: Readonly<Record<string, string>>): Record<string, string> {
  const value = (text: string) =>
    text.replace(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)\}/g, (_, name: string, fallback?: string) => SECRETS[name] ?? fallback ?? "");
  return Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, value(text)]));
}
