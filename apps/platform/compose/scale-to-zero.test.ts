import { describe, expect, test } from "vitest";
import { z } from "zod";
import { demandValidConfig } from "#doctor/check-setting.ts";
import { readYaml } from "#testing/read-yaml.ts";

const variableSchema = z.object({ name: z.string(), value: z.string().optional(), valueFrom: z.unknown().optional() });
const containerSchema = z.object({
  args: z.array(z.string()),
  ports: z.array(z.object({ containerPort: z.number() })).default([]),
  env: z.array(variableSchema).default([]),
});
const serviceSchema = z.object({
  apiVersion: z.literal("serving.knative.dev/v1"),
  spec: z.object({
    template: z.object({
      metadata: z.object({ annotations: z.record(z.string(), z.string()) }),
      spec: z.object({ timeoutSeconds: z.number(), containers: z.array(containerSchema) }),
    }),
  }),
});
const documentSchema = z.looseObject({ kind: z.string(), data: z.record(z.string(), z.string()).optional() });

const SECRETS: Readonly<Record<string, string>> = {
  DATABASE_URL: "postgres://one@database/sightline",
  CODEINDEX_DATABASE_URL: "postgres://one@database/sightline",
  OBSERVABILITY_REDIS_URL: "redis://redis:6379",
  SECRET_KEY: "x".repeat(43),
  ENCRYPTION_KEYS: `k1:${"x".repeat(43)}`,
  CODEINDEX_ENCRYPTION_KEYS: `k1:${"x".repeat(43)}`,
  CODEINDEX_WEBHOOK_SECRET: "x".repeat(43),
};

describe.each(["cloud-run", "knative"])("deploy/%s/code-index.yaml", (platform) => {
  const documents = readYaml(`deploy/${platform}/code-index.yaml`).map((document) => documentSchema.parse(document));
  const service = serviceSchema.parse(documents.find(({ kind }) => kind === "Service"));
  const { metadata, spec } = service.spec.template;
  const [container] = spec.containers;

  // Contract: "Instances | min 0 (scales to zero), max 3", "Port | 8080".
  test("runs 0 to 3 instances of the API alone, at port 8080", () => {
    const scales = Object.entries(metadata.annotations).filter(([name]) => /scale$/i.test(name));
    expect(scales.map(([, count]) => count)).toEqual(["0", "3"]);
    expect(container?.args).toEqual(["start", "code-index"]);
    expect(container?.ports).toEqual([{ containerPort: 8080 }]);
  });

  test("gives it every variable that it needs, and secrets by reference alone", () => {
    const shared = documents.find(({ kind }) => kind === "ConfigMap")?.data ?? {};
    const own = (container?.env ?? []).map(({ name, value }) => [name, value ?? SECRETS[name] ?? ""] as const);
    const given = { ...(platform === "knative" ? SECRETS : {}), ...shared, ...Object.fromEntries(own) };
    expect(() => demandValidConfig(["code-index"], given)).not.toThrow();
    expect(Object.keys(given)).toEqual(expect.arrayContaining(Object.keys(SECRETS)));
    for (const { name, value } of container?.env ?? []) {
      expect(name in SECRETS && value !== undefined, name).toBe(false);
    }
  });
});
