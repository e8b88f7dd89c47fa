import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { presentFirstAdmin, renderBanner } from "./banner.ts";

const admin = { email: "ada@acme.test", oneTimePassword: "k3q-w9x" };
let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "sightline-banner-"));
});

afterEach(() => rm(home, { recursive: true }));

test("people see the one-time password in the banner", async () => {
  const firstAdmin = await presentFirstAdmin(admin, { format: "pretty", home });
  const banner = renderBanner({ roles: ["console", "code-index"], environment: {}, tookMs: 1234, firstAdmin });
  expect(banner).toContain("k3q-w9x");
  expect(banner).toContain('claude mcp add --transport http sightline http://localhost:8080/mcp --header "Authorization: Bearer <token>"');
});

test("it says where the SDK and exporters send to, without the password of Redis", () => {
  const environment = {
    OBSERVABILITY_REDIS_URL: "rediss://sightline:hunter2@redis.acme.test:6380/2",
    OBSERVABILITY_URL: "http://observability:8000",
    OBSERVABILITY_PUBLIC_URL: "http://localhost:18000",
  };
  const banner = renderBanner({ roles: ["consumer", "observability"], environment, tookMs: 1234, firstAdmin: [] });
  expect(banner).toContain("rediss://…@redis.acme.test:6380/2");
  expect(banner).toContain("http://localhost:18000/v1/traces");
  expect(banner).not.toContain("hunter2");
});

test("applications are told the address of Redis that they reach, not the one inside", () => {
  const environment = {
    OBSERVABILITY_REDIS_URL: "redis://redis:6379",
    OBSERVABILITY_PUBLIC_REDIS_URL: "redis://:hunter2@redis.acme.test:6380",
  };
  const banner = renderBanner({ roles: ["consumer"], environment, tookMs: 1234, firstAdmin: [] });
  expect(banner).toContain("Events       redis://…@redis.acme.test:6380");
  expect(banner).not.toContain("hunter2");
});

test("a log for machines never holds the one-time password; a file that only its owner reads does", async () => {
  const lines = await presentFirstAdmin(admin, { format: "json", home });
  expect(lines.join("")).not.toContain("k3q-w9x");
  const file = join(home, "first-admin-password");
  expect(await readFile(file, "utf8")).toBe("k3q-w9x\n");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("without a new admin nothing is said of one", async () => {
  expect(await presentFirstAdmin(undefined, { format: "pretty", home })).toEqual([]);
});

test("it says what goes on and what is not shown after it", () => {
  const banner = (more: object) => renderBanner({ roles: ["console"], environment: {}, tookMs: 1234, firstAdmin: [], ...more });
  expect(banner({ demo: true, isQuiet: true })).toMatch(/The demo is being made in the background.*\n.*LOG_LEVEL=INFO shows everything/);
  expect(banner({})).not.toMatch(/demo|LOG_LEVEL/);
});
