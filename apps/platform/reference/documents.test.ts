import { readdir, readFile } from "node:fs/promises";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { describeRoles } from "./describe-roles.ts";
import { renderReference } from "./reference.ts";
import { variableGroups } from "#settings/roles.ts";
import { renderEnvironmentExample } from "./render-variables.ts";

/** All roles are loaded and put together. */
const COMPOSING = { timeout: 180_000 };

const root = new URL("../../../", import.meta.url);
const known = variableGroups.flatMap(({ variables }) => Object.keys(variables));

function read(path: string): Promise<string> {
  return readFile(new URL(path, root), "utf8");
}

test(".env.example has every variable as the code has it", async () => {
  expect(await read(".env.example")).toBe(renderEnvironmentExample());
});

test("docs/reference has every variable, command, route, tool, event and metric as the code has it", COMPOSING, async () => {
  const pages = await renderReference();
  const written = await Promise.all(
    Object.keys(pages).map(async (name) => [name, await read(`docs/reference/${name}`).catch(() => "missing")]),
  );
  expect(Object.fromEntries(written), "run `npm run documents -w @sightline/platform`").toEqual(pages);
  expect((await readdir(new URL("docs/reference", root))).toSorted()).toEqual(Object.keys(pages).toSorted());
});

test("every API is described by a valid OpenAPI document", COMPOSING, async () => {
  for (const { role, document } of await describeRoles()) {
    expect(await new Validator().validate(structuredClone(document)), role).toMatchObject({ valid: true });
    // Drafts of JSON Schema before 2020-12 had lists there, which the validator lets pass.
    expect(JSON.stringify(document), role).not.toContain('"items":[');
  }
});

test("every route says what it answers when it went well, and nothing of an answer without a body", COMPOSING, async () => {
  const wrong = (await describeRoles()).flatMap(({ role, openApi }) =>
    Object.entries(openApi.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { responses }]) => {
        const isSilent = !Object.keys(responses).some((status) => /^[23]/.test(status));
        return isSilent || responses["204"]?.content !== undefined ? [`${role}: ${method} ${path}`] : [];
      }),
    ),
  );
  expect(wrong).toEqual([]);
});

test("every route says in its description what it does", COMPOSING, async () => {
  const silent = (await describeRoles()).flatMap(({ role, openApi }) =>
    Object.entries(openApi.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { summary }]) => (summary === undefined ? [`${role}: ${method} ${path}`] : [])),
    ),
  );
  expect(silent).toEqual([]);
});

test("no document names a variable that there is not", async () => {
  const pages = (await readdir(new URL("docs", root))).filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`);
  const named = await Promise.all(
    ["README.md", ...pages].map(async (page) =>
      [...(await read(page)).matchAll(/`((?:CODEINDEX|OBSERVABILITY|SIGHTLINE|IDENTITY|CONSOLE|ADMIN|SMTP)_[A-Z_]*[A-Z])\b/g)].map(
        ([, name = ""]) => `${page}: ${name}`,
      ),
    ),
  );
  expect(named.flat().length).toBeGreaterThan(20);
  expect(named.flat().filter((name) => !known.some((one) => name.endsWith(`: ${one}`)))).toEqual([]);
});
