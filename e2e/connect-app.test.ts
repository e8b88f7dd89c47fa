import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { auth, Client, type OAuthClientProvider, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { describeApiDocuments } from "./api-documents.ts";
import { excuse, failOn, inspectPage, launchBrowser, openContext, openPage } from "./browser.ts";
import { enterCredentials, logInFirst, logOut } from "./log-in.ts";
import { describeOfficialClients } from "./official-clients.ts";
import { startAlone, type Stage } from "./product.ts";

const PASSWORD = "correct horse battery staple";

type Tokens = Awaited<ReturnType<NonNullable<OAuthClientProvider["tokens"]>>>;
type Registered = Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>;
type Discovered = Awaited<ReturnType<NonNullable<OAuthClientProvider["discoveryState"]>>>;

let stage: Stage;
let browser: Browser;
let page: Page;
let waiting: Server;
let callback: string;
/** What the assistant's own server on this machine was told by the browser. */
const told: URLSearchParams[] = [];
const problems: string[] = [];

beforeAll(async () => {
  stage = await startAlone([]);
  browser = await launchBrowser();
  page = await openPage(await openContext(browser), problems);
  waiting = createServer(({ url = "/" }, response) => {
    const { pathname, searchParams } = new URL(url, callback);
    if (pathname === "/callback") {
      told.push(searchParams);
    }
    response.setHeader("content-type", "text/html").end("<title>Connected</title><p>You can close this page.");
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => waiting.once("listening", resolve));
  callback = `http://127.0.0.1:${(waiting.address() as AddressInfo).port}/callback`;
  await logInFirst(page, stage.product.consoleUrl, stage.product.admin, PASSWORD);
  await logOut(page, stage.product.admin.email);
});

afterAll(async () => {
  await browser?.close();
  waiting?.close();
  await stage?.end();
});

afterEach(() => failOn(problems));

/** Keeps in memory what an assistant keeps in a file. */
function makeAssistant() {
  let [tokens, registered, discovered, verifier]: [Tokens, Registered, Discovered, string] = [undefined, undefined, undefined, ""];
  const asked: URL[] = [];
  const provider: OAuthClientProvider = {
    redirectUrl: callback,
    clientMetadata: { client_name: "Assistant of the test", redirect_uris: [callback] },
    clientInformation: () => registered,
    saveClientInformation: (information) => void (registered = information),
    tokens: () => tokens,
    saveTokens: (saved) => void (tokens = saved),
    redirectToAuthorization: (url) => void asked.push(url),
    saveCodeVerifier: (text) => void (verifier = text),
    codeVerifier: () => verifier,
    saveDiscoveryState: (state) => void (discovered = state),
    discoveryState: () => discovered,
  };
  return { provider, asked };
}

async function begin(): Promise<OAuthClientProvider> {
  const { provider, asked } = makeAssistant();
  expect(await auth(provider, { serverUrl: mcp() })).toBe("REDIRECT");
  await page.goto(asked[0]?.href ?? "");
  return provider;
}

function mcp(): URL {
  return new URL("/mcp", stage.product.codeIndexUrl);
}

test("an assistant opens the browser, where its owner logs in and lets it in", async () => {
  const { admin } = stage.product;
  const provider = await begin();
  await page.waitForURL(/\/login\?next=/);
  await enterCredentials(page, { email: admin.email, password: PASSWORD });
  await page.getByRole("heading", { level: 1, name: "Let “Assistant of the test” read your code?" }).waitFor();
  await page.getByText("a program on this computer").waitFor();
  expect(await inspectPage(page, "connect-app")).toEqual([]);
  await page.getByRole("radio", { name: "1 day", exact: true }).check();
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByText("You can close this page.").waitFor();

  const [parameters] = told.splice(0);
  const [authorizationCode, iss] = [parameters?.get("code") ?? "", parameters?.get("iss") ?? ""];
  expect(await auth(provider, { serverUrl: mcp(), authorizationCode, iss })).toBe("AUTHORIZED");
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(mcp(), { authProvider: provider }));
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain("search");
  expect(names).not.toContain("list_traces");
  await client.close();
});

test("its owner sees it in the console, and sends it away", async () => {
  await page.goto(`${stage.product.consoleUrl}/code/connect`);
  const row = page.getByRole("row").filter({ hasText: "Assistant of the test" });
  await row.getByText("all repositories").waitFor();
  await row.getByRole("button", { name: "Disconnect Assistant of the test" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
  await page.getByText("No connected assistants yet").waitFor();
  expect(await row.count()).toBe(0);
});

test("an assistant is told the no of its owner, and a question that was answered is over", async () => {
  await begin();
  await page.getByRole("button", { name: "Deny" }).click();
  await page.getByText("You can close this page.").waitFor();
  expect(told.splice(0).map((parameters) => parameters.get("error"))).toEqual(["access_denied"]);
  await page.goto(`${stage.product.consoleUrl}/connect/authorize/made-up`);
  await page.getByText("The app can't be connected").waitFor();
  excuse(problems, /409 \(Conflict\)/);
});

const withPerson = () => ({ product: stage.product, person: { email: stage.product.admin.email, password: PASSWORD } });

describeOfficialClients(withPerson);

// The last: it deletes what it finds.
describeApiDocuments(withPerson);
