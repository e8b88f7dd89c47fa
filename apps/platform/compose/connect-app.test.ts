import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { makeAssistant, type Assistant } from "#testing/assistant.ts";
import { openBrowser, type Browser } from "#testing/browser.ts";
import { connectMcp } from "#testing/mcp-client.ts";
import { startProduct, type StartedProduct } from "#testing/started-product.ts";

const PASSWORD = "seven green lanterns";
const EMAIL = "ada@example.org";

let product: StartedProduct;
let roles: StartedProduct["roles"];
let mcp: URL;
let site: string;
let repositories: readonly { readonly id: string; readonly name: string }[];

beforeAll(async () => {
  product = await startProduct("connect-app", { ADMIN_EMAIL: EMAIL, ADMIN_PASSWORD: PASSWORD, CODEINDEX_ALLOW_FILE_URLS: "true" });
  ({ roles } = product);
  const { environment } = product;
  mcp = new URL(`${environment["CODEINDEX_PUBLIC_URL"] ?? ""}/mcp`);
  site = environment["PUBLIC_URL"] ?? "";
  const headers = await bearerOfPerson(openBrowser(site));
  repositories = await Promise.all(
    ["acme/shop", "acme/payroll"].map(async (name) => {
      const payload = { full_name: name, clone_url: `https://git.example.org/${name}.git` };
      const made = await roles.serverOf("code-index").inject({ method: "POST", url: "/api/v1/repos", headers, payload });
      return { id: made.json<{ id: string }>().id, name };
    }),
  );
}, 60_000);

afterAll(() => product.stop());

type Choices = {
  readonly repositories?: readonly string[];
  readonly traces?: boolean;
  readonly evaluation?: boolean;
  readonly days?: number;
};

async function bearerOfPerson(browser: Browser): Promise<{ readonly authorization: string }> {
  const answer = await browser.ask("/api/identity/login/access-token", asJson({ email: EMAIL, password: PASSWORD }));
  const { access_token: token } = z.object({ access_token: z.string() }).parse(await answer.json());
  return { authorization: `Bearer ${token}` };
}

function asJson(body: unknown, headers: Readonly<Record<string, string>> = {}) {
  return { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body) };
}

/** What a person does in the browser that the assistant opened. */
async function letIn(
  assistant: Assistant,
  { repositories: chosen, traces = false, evaluation = false, days = 1 }: Choices = {},
): Promise<void> {
  const browser = openBrowser(site);
  await assistant.begin(mcp);
  const { at } = await browser.goTo(assistant.asked());
  const [, uid = ""] = /^\/connect\/authorize\/([\w-]+)$/.exec(at.pathname) ?? [];
  const headers = await bearerOfPerson(browser);
  const path = `/api/identity/oauth/interactions/${uid}/consent`;
  const question = await (await browser.ask(path, { headers })).json();
  expect(question).toEqual({
    app: { name: "Test assistant", redirect_host: "127.0.0.1:41999" },
    account: { email: EMAIL, name: expect.any(String), tenant: "default" },
  });
  const consent = { decision: "allow", repositories: chosen ?? null, traces, evaluation, days };
  const answer = await browser.ask(path, asJson(consent, headers));
  const { continue_to: next } = z.object({ continue_to: z.string() }).parse(await answer.json());
  const { at: callback } = await browser.goTo(new URL(next));
  expect(callback.searchParams.get("state")).toBe("the-state");
  await assistant.finish(mcp, callback);
}

async function repositoriesSeenBy(token: string): Promise<readonly string[]> {
  const client = await connectMcp(mcp.origin, token);
  const { text } = await client.call("list_repos", {});
  await client.close();
  return repositories.map(({ name }) => name).filter((name) => text.includes(name));
}

test("an assistant without a token is let in by a person in the browser, and uses the tools", async () => {
  expect((await fetch(mcp, { method: "POST" })).status).toBe(401);
  const assistant = makeAssistant();
  await letIn(assistant);
  const client = await connectMcp(mcp.origin, assistant.accessToken());
  expect(await client.toolNames()).toContain("search");
  expect(await client.toolNames()).not.toContain("list_traces");
  await client.close();
  expect(await repositoriesSeenBy(assistant.accessToken())).toEqual(["acme/shop", "acme/payroll"]);
});

test("a consent for one repository opens that one alone, and traces only where they were allowed", async () => {
  const [shop] = repositories;
  const assistant = makeAssistant();
  await letIn(assistant, { repositories: [shop?.id ?? ""], traces: true, days: 30 });
  expect(await repositoriesSeenBy(assistant.accessToken())).toEqual(["acme/shop"]);
  const read = await ask("GET", "/api/v1/repos", assistant.accessToken());
  expect(read.json<{ items: { full_name: string }[] }>().items.map(({ full_name: name }) => name)).toEqual(["acme/shop"]);
  const client = await connectMcp(mcp.origin, assistant.accessToken());
  expect(await client.toolNames()).toContain("list_traces");
  expect(await client.toolNames()).not.toContain("list_issues");
  await client.close();
  const another = makeAssistant();
  await letIn(another, { traces: true, evaluation: true });
  const evaluating = await connectMcp(mcp.origin, another.accessToken());
  expect(await evaluating.toolNames()).toContain("add_dataset_item");
  await evaluating.close();
});

test("a repository of another organization is none, whoever lets an app see it", async () => {
  const assistant = makeAssistant();
  await letIn(assistant, { repositories: ["00000000-0000-4000-8000-000000000000"] });
  expect(await repositoriesSeenBy(assistant.accessToken())).toEqual([]);
});

test("the token is renewed without the person, and opens as much as before", async () => {
  const [shop] = repositories;
  const assistant = makeAssistant();
  await letIn(assistant, { repositories: [shop?.id ?? ""] });
  const before = assistant.accessToken();
  await assistant.refresh(mcp);
  expect(assistant.accessToken()).not.toBe(before);
  expect(await repositoriesSeenBy(assistant.accessToken())).toEqual(["acme/shop"]);
});

test("the token opens reading in the code index, and nothing else of any part", async () => {
  const assistant = makeAssistant();
  await letIn(assistant, { traces: true });
  const headers = { authorization: `Bearer ${assistant.accessToken()}` };
  const guarded = roles.routes.filter(({ auth = "" }) => !["public", "same-origin", "reader", "mcp", "webhook"].includes(auth));
  expect(guarded.length).toBeGreaterThan(80);
  const opened: string[] = [];
  for (const { role, method, url } of guarded) {
    const address = url.replaceAll(/:\w+/g, "00000000-0000-4000-8000-000000000000").replace("*", "x");
    const { statusCode } = await roles.serverOf(role).inject({ method: method as "GET", url: address, headers });
    opened.push(...(statusCode === 401 || statusCode === 403 ? [] : [`${role}: ${method} ${url} ${statusCode}`]));
  }
  expect(opened).toEqual([]);
});

test("when the person ends it, it is refused by the code index soon", async () => {
  const assistant = makeAssistant();
  await letIn(assistant);
  const browser = openBrowser(site);
  const headers = await bearerOfPerson(browser);
  const listed = await (await browser.ask("/api/identity/login/connections", { headers })).json();
  const [newest] = z.object({ connections: z.array(z.object({ id: z.string() })) }).parse(listed).connections;
  const ended = await browser.ask(`/api/identity/login/connections/${newest?.id ?? ""}`, { method: "DELETE", headers });
  expect(ended.status).toBe(204);
  const isRefused = async () => (await ask("GET", "/api/v1/repos", assistant.accessToken())).statusCode;
  await expect.poll(isRefused, { interval: 500, timeout: 60_000 }).toBe(401);
}, 70_000);

function ask(method: "GET", url: string, token: string) {
  return roles.serverOf("code-index").inject({ method, url, headers: { authorization: `Bearer ${token}` } });
}
