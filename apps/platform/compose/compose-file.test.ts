import { describe, expect, test } from "vitest";
import { z } from "zod";
import { platformVariables } from "#config.ts";
import { demandValidConfig } from "#doctor/check-setting.ts";
import { roleNames } from "#settings/role-names.ts";
import { describeRole, findPort, variableGroups } from "#settings/roles.ts";
import { filledIn as fillIn } from "#testing/compose-environment.ts";
import { readYaml } from "#testing/read-yaml.ts";

const serviceSchema = z.object({
  image: z.string(),
  command: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  env_file: z.never().optional(),
  depends_on: z.record(z.string(), z.unknown()).default({}),
});
const storeSchema = serviceSchema.partial({ environment: true });
const fileSchema = z.object({ services: z.record(z.string(), z.unknown()) });

const SECRETS: Readonly<Record<string, string>> = {
  SECRET_KEY: "x".repeat(43),
  API_KEY: `studio_${"0".repeat(64)}`,
  CODEINDEX_WEBHOOK_SECRET: "x".repeat(43),
  ENCRYPTION_KEYS: `k1:${"x".repeat(43)}`,
  POSTGRES_PASSWORD: "x".repeat(43),
  ACCOUNTS_POSTGRES_PASSWORD: "x".repeat(43),
  CODEINDEX_POSTGRES_PASSWORD: "x".repeat(43),
  REDIS_PASSWORD: "x".repeat(43),
};

const { services } = fileSchema.parse(readYaml("compose.yaml")[0]);

/** What the file fixes, and what the image does. */
const SET_BY_THE_FILE = new Set([
  "IDENTITY_PORT",
  "CODEINDEX_PORT",
  "OBSERVABILITY_PORT",
  "CODEINDEX_DATA_DIR",
  "ADMIN_EMAIL",
  "ADMIN_PASSWORD",
]);

describe("compose.yaml", () => {
  test("has every role, and nothing beside them but the stores and the operator", () => {
    expect(Object.keys(services).toSorted()).toEqual([...roleNames, "operator", "postgres", "redis"].toSorted());
  });

  test.each(roleNames)("starts %s with what it needs, hands it every variable that it reads, and none of another role", (role) => {
    const { command, environment, depends_on: after } = serviceSchema.parse(services[role]);
    expect(command).toEqual(["start", "--prepared", role]);
    expect(after["operator"]).toEqual({ condition: "service_completed_successfully" });
    expect(() => demandValidConfig([role], filledIn(environment), { prepared: true })).not.toThrow();
    const own = Object.keys(describeRole(role).variables);
    expect(own.filter((name) => !SET_BY_THE_FILE.has(name) && environment[name] === undefined)).toEqual([]);
    expect(Object.keys(environment).filter((name) => !own.includes(name) && !Object.hasOwn(platformVariables, name))).toEqual([]);
  });

  test.each([
    ["console", []],
    ["indexer", ["CODEINDEX_DATABASE_URL", "CODEINDEX_EMBEDDING_API_KEY", "CODEINDEX_ENCRYPTION_KEYS"]],
    ["consumer", ["DATABASE_URL", "OBSERVABILITY_DATABASE_URL", "OBSERVABILITY_REDIS_URL"]],
  ] as const)("gives %s no secret of identity", (role, secrets) => {
    const { environment } = serviceSchema.parse(services[role]);
    const known = variableGroups.flatMap(({ variables }) => Object.entries<{ readonly secret?: boolean }>(variables));
    const given = known.filter(([name, { secret }]) => secret === true && environment[name] !== undefined && name !== "METRICS_TOKEN");
    expect([...new Set(given.map(([name]) => name))].toSorted()).toEqual([...secrets].toSorted());
  });

  test("keeps the code's database from whoever reads accounts, and the other way round", () => {
    const usersOf = (role: string) => {
      const { environment } = serviceSchema.parse(services[role]);
      const urls = Object.entries(filledIn(environment)).filter(([name, url]) => name.endsWith("DATABASE_URL") && url !== "");
      return urls.map(([, url]) => new URL(url).username).toSorted();
    };
    expect(Object.fromEntries(roleNames.map((role) => [role, usersOf(role)]))).toEqual({
      identity: ["sightline_accounts"],
      // Traces over MCP.
      "code-index": ["sightline_accounts", "sightline_code"],
      indexer: ["sightline_code"],
      observability: ["sightline_accounts"],
      consumer: ["sightline_accounts"],
      console: [],
    });
  });

  test("prepares the databases by one that has every secret, and serves nothing", () => {
    const { command, environment, ports } = serviceSchema.parse(services["operator"]);
    expect([command, ports]).toEqual([["prepare"], []]);
    expect(() => demandValidConfig(roleNames, filledIn(environment))).not.toThrow();
  });

  test("asks for a secret by name instead of starting without it", () => {
    const text = JSON.stringify(services);
    for (const name of Object.keys(SECRETS)) {
      expect(text).toContain(`\${${name}:?`);
    }
  });

  test.each(Object.keys(services))(
    "confines %s: it writes nothing but its data, becomes nobody else, and is reached from this machine",
    (name) => {
      const confined = z.object({
        read_only: z.literal(true),
        cap_drop: z.tuple([z.literal("ALL")]),
        security_opt: z.tuple([z.literal("no-new-privileges:true")]),
        tmpfs: z.array(z.string()).min(1),
        ports: z.array(z.string().startsWith("127.0.0.1:")).default([]),
        privileged: z.never().optional(),
        network_mode: z.never().optional(),
      });
      expect(confined.safeParse(services[name]).error).toBeUndefined();
    },
  );

  test.each([
    ["console", ["127.0.0.1:3000:3000"]],
    ["identity", []],
    ["code-index", ["127.0.0.1:8080:8080"]],
    ["observability", ["127.0.0.1:8001:8000"]],
    ["consumer", []],
    ["indexer", []],
  ] as const)("publishes %s as %s, the port that it listens on", (role, published) => {
    const { ports, environment } = serviceSchema.parse(services[role]);
    expect(ports).toEqual(published);
    for (const port of ports) {
      expect(port).toMatch(new RegExp(`:${findPort(role, filledIn(environment))}$`));
    }
  });

  test("has a Redis that asks for a password, which stands on no command line", () => {
    const { command, environment } = serviceSchema.parse(services["redis"]);
    expect(command.join(" ")).toContain("requirepass $$REDIS_PASSWORD");
    expect(environment).toEqual({ REDIS_PASSWORD: "${REDIS_PASSWORD:?set it in .env}" });
    for (const role of ["observability", "consumer"]) {
      const own = filledIn(serviceSchema.parse(services[role]).environment);
      expect(new URL(own["OBSERVABILITY_REDIS_URL"] ?? "").password).toBe(SECRETS["REDIS_PASSWORD"]);
    }
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
    expect([...postgres.volumes, ...redis.volumes]).toEqual([
      "postgres:/var/lib/postgresql/data",
      "./deploy/compose/make-databases.sql:/docker-entrypoint-initdb.d/make-databases.sql:ro",
      "redis:/data",
    ]);
  });
});

const filledIn = (environment: Readonly<Record<string, string>>) => fillIn(environment, SECRETS);
