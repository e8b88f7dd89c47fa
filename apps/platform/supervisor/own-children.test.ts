import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { deriveEnvironment, resolveSetting } from "#settings/environment.ts";
import type { ChildSpecification } from "./launch-child.ts";
import { roleChild } from "./own-children.ts";
import { roleNames } from "#settings/role-names.ts";
import { storeChildren } from "#embedded/stores.ts";
import { createSupervisor, type Supervisor } from "./supervisor.ts";
import { waitUntil } from "#testing/wait-until.ts";

const PROGRAM = fileURLToPath(new URL("../testing/small-child.ts", import.meta.url));

const GIVEN = {
  PATH: process.env["PATH"],
  LANG: "C.UTF-8",
  SECRET_KEY: "s".repeat(43),
  API_KEY: `studio_${"0".repeat(64)}`,
  CODEINDEX_WEBHOOK_SECRET: "w".repeat(43),
  CODEINDEX_ENCRYPTION_KEYS: `k1:${"c".repeat(43)}`,
  ENCRYPTION_KEYS: `k1:${"e".repeat(43)}`,
  ADMIN_PASSWORD: "correct horse battery",
};

const SECRETS = [
  "SECRET_KEY",
  "API_KEY",
  "CODEINDEX_WEBHOOK_SECRET",
  "CODEINDEX_ENCRYPTION_KEYS",
  "ENCRYPTION_KEYS",
  "ADMIN_PASSWORD",
] as const;

const supervisors: Supervisor[] = [];

afterEach(async () => {
  await Promise.all(supervisors.splice(0).map((supervisor) => supervisor.stop()));
});

/** What such a process finds in its environment, from a process that was started as it is. */
async function environmentInside(specification: ChildSpecification): Promise<Readonly<Record<string, string>>> {
  const lines: string[] = [];
  const output = { childLine: (_name: string, line: string) => void lines.push(line), say: () => undefined };
  const supervisor = createSupervisor({ output });
  supervisors.push(supervisor);
  await supervisor.start([{ ...specification, program: PROGRAM, words: ["environment"] }]);
  const told = () => lines.find((line) => line.startsWith("{"));
  await waitUntil("the child told its environment", () => told() !== undefined);
  return z.record(z.string(), z.string()).parse(JSON.parse(told() ?? ""));
}

test.each([
  ["identity", ["SECRET_KEY", "ENCRYPTION_KEYS"]],
  ["code-index", ["CODEINDEX_WEBHOOK_SECRET", "CODEINDEX_ENCRYPTION_KEYS"]],
  ["indexer", ["CODEINDEX_ENCRYPTION_KEYS"]],
  // Serves registration, which is identity's.
  ["observability", ["SECRET_KEY", "API_KEY", "ENCRYPTION_KEYS"]],
  ["consumer", []],
  ["console", []],
] as const)("%s is given the secrets it reads and no others: %j", async (role, secrets) => {
  const { environment } = deriveEnvironment(GIVEN);
  const inside = await environmentInside(roleChild(role, environment));
  expect(SECRETS.filter((name) => name in inside)).toEqual([...secrets]);
  expect(JSON.stringify(inside)).not.toContain("correct horse battery");
  // What is not ours goes on: how to find programs, proxies, the language.
  expect(inside).toMatchObject({ PATH: GIVEN.PATH, LANG: "C.UTF-8", SIGHTLINE_HOME: expect.any(String) });
});

test("databases are known only to those who work on them", async () => {
  const { environment } = deriveEnvironment(GIVEN);
  const databases = ["DATABASE_URL", "CODEINDEX_DATABASE_URL", "OBSERVABILITY_REDIS_URL"];
  const known = roleNames.map((role) => [role, databases.filter((name) => name in roleChild(role, environment).environment)]);
  expect(Object.fromEntries(known)).toEqual({
    identity: ["DATABASE_URL"],
    // The other one for the tools about traces.
    "code-index": ["DATABASE_URL", "CODEINDEX_DATABASE_URL"],
    indexer: ["CODEINDEX_DATABASE_URL"],
    observability: ["DATABASE_URL", "OBSERVABILITY_REDIS_URL"],
    consumer: ["DATABASE_URL", "OBSERVABILITY_REDIS_URL"],
    console: [],
  });
});

test("the embedded stores are given no secret at all", async () => {
  for (const store of storeChildren(resolveSetting(GIVEN))) {
    const inside = await environmentInside(store);
    expect(SECRETS.filter((name) => name in inside)).toEqual([]);
  }
});
