import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { Product } from "./product.ts";
import type { SmallRepository } from "./small-repository.ts";

/** What the tests take place on: a page of an admin, and a repository that is indexed. */
type Stage = { readonly product: Product; readonly page: Page; readonly repository: SmallRepository };

type Server = { readonly url: string; readonly authorization: string };

const REPOSITORY = "acme/webshop";
const RETRY = "src/payment/retry-failed-payment.ts";
const COMMAND = /^claude mcp add --transport http sightline (?<url>\S+) --header "Authorization: (?<authorization>Bearer \S+)"$/;

/** An assistant of a developer, from the console's page to an answer. */
export function describeAssistant(stage: () => Stage): void {
  describe("an assistant with a developer token", () => {
    test("searches, reads and lists over MCP with the official client, connected by what the console says", async () => {
      const { page, repository } = stage();
      await createToken(stage(), "Assistant of the test");
      const row = page.getByRole("table").getByRole("row").filter({ hasText: "Assistant of the test" });
      await row.getByText("never").waitFor();

      const client = await connect(readCommand(await readSnippet(page, "Claude Code")));
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(
        expect.arrayContaining(["search", "read_file", "list_repos"]),
      );
      const found = await call(client, "search", { query: "pauseBeforeRetry" });
      expect(found).toContain(RETRY);
      expect(found).toContain(repository.commit.slice(0, 7));
      expect(await call(client, "read_file", { repo: REPOSITORY, path: RETRY })).toContain("const LONGEST_PAUSE_MS = 60_000;");
      expect(await call(client, "list_repos", {})).toContain(REPOSITORY);
      await client.close();

      // The developer comes back from the terminal, and sees that it works without loading the page again.
      await expect
        .poll(async () => {
          await page.evaluate('document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))');
          return row.getByText("never").count();
        })
        .toBe(0);
    });

    test("connects by the settings of its client as well", async () => {
      const { page } = stage();
      await createToken(stage(), "Assistant by settings");
      await page.getByRole("tab", { name: "Cursor" }).click();
      const { mcpServers } = JSON.parse(await readSnippet(page, "Cursor")) as {
        readonly mcpServers: { readonly sightline: { readonly url: string; readonly headers: { readonly Authorization: string } } };
      };
      const client = await connect({ url: mcpServers.sightline.url, authorization: mcpServers.sightline.headers.Authorization });
      expect(await call(client, "list_repos", {})).toContain(REPOSITORY);
      await client.close();
    });

    test("is refused without one", async () => {
      const answer = await fetch(`${stage().product.codeIndexUrl}/mcp`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: "{}",
      });
      expect(answer.status).toBe(401);
      expect(await answer.json()).toMatchObject({ error: "auth_failed" });
    });
  });
}

async function createToken({ product, page }: Stage, label: string): Promise<void> {
  await page.goto(`${product.consoleUrl}/code/connect?new=1`);
  await page.getByLabel("Label").fill(label);
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByRole("status").filter({ hasText: label }).getByLabel("the token", { exact: true }).waitFor();
}

function readSnippet(page: Page, client: string): Promise<string> {
  return page.getByLabel(`the snippet for ${client}`, { exact: true }).innerText();
}

/** As a shell reads it. */
function readCommand(command: string): Server {
  const { url = "", authorization = "" } = COMMAND.exec(command.trim().replaceAll(/\s*\\\n\s*/g, " "))?.groups ?? {};
  return { url, authorization };
}

async function connect({ url, authorization }: Server): Promise<Client> {
  const client = new Client({ name: "sightline-e2e", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization } } }));
  return client;
}

/** What a tool answers, as the assistant reads it. */
async function call(client: Client, name: string, words: Record<string, unknown>): Promise<string> {
  const answer = await client.callTool({ name, arguments: words });
  expect(answer.isError).not.toBe(true);
  return JSON.stringify(answer.content);
}
