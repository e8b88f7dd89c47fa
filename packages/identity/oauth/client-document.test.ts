import { afterEach, beforeEach, expect, test } from "vitest";
import { ALL, askFor, CALLBACK, codeFor, exchange, questionOf, type App, type Tokens } from "#testing/connect-app.ts";
import { accessTokenOf, createAccount, createIdentityFixture, type IdentityFixture } from "#testing/identity-fixture.ts";
import { fetchDocument } from "./fetch-document.ts";

const EMAIL = "ada@example.org";
const app: App = { clientId: "https://assistant.example/client.json", verifier: "v".repeat(43) };

let subject: IdentityFixture;
let document: unknown;
let fetched: string[];

beforeEach(async () => {
  fetched = [];
  document = { client_id: app.clientId, client_name: "Assistant with a site", redirect_uris: [CALLBACK] };
  subject = await createIdentityFixture({
    fetchDocument: async ({ href }) => {
      fetched.push(href);
      return typeof document === "number" ? new Response("no", { status: document }) : Response.json(document);
    },
  });
  await createAccount(subject.identity, EMAIL);
});

afterEach(() => subject.close());

test("an app that is named by its address is let in as it is described there, which is fetched once", async () => {
  const code = await codeFor(subject.server, app, EMAIL, { ...ALL, days: 90 });
  expect((await exchange(subject.server, app, code)).json<Tokens>()).toMatchObject({ scope: "mcp" });
  expect(fetched).toEqual([app.clientId]);
  const question = questionOf(await askFor(subject.server, app));
  const headers = { authorization: `Bearer ${await accessTokenOf(subject.server, EMAIL)}`, cookie: question.cookie };
  const asked = await subject.server.inject({ url: `/oauth/interactions/${question.uid}/consent`, headers });
  expect(asked.json()).toMatchObject({ app: { name: "Assistant with a site", redirect_host: "127.0.0.1:41999" } });
});

test.for<readonly [string, unknown]>([
  ["says it is another app", { client_id: "https://other.example/client.json", redirect_uris: [CALLBACK] }],
  ["sends codes to a site without TLS", { client_id: app.clientId, redirect_uris: ["http://assistant.example/callback", CALLBACK] }],
  ["sends codes to a script", { client_id: app.clientId, redirect_uris: ["javascript:/alert(1)", CALLBACK] }],
  ["has a secret", { client_id: app.clientId, redirect_uris: [CALLBACK], client_secret: "secret of the app" }],
  ["is none", "text"],
  ["is not there", 404],
])("an app whose document %s is refused", async ([, given]) => {
  document = given;
  const answer = await askFor(subject.server, app);
  expect(answer.statusCode).toBe(400);
  expect(answer.headers.location).toBeUndefined();
});

test("one place makes us fetch 20 documents in ten minutes", async () => {
  document = 404;
  for (let count = 0; count < 25; count += 1) {
    await askFor(subject.server, { ...app, clientId: `https://assistant.example/${count}.json` });
  }
  expect(fetched).toHaveLength(20);
});

test("what a document has us fetch besides is counted with it", async () => {
  document = { client_id: app.clientId, redirect_uris: [CALLBACK], sector_identifier_uri: "https://victim.example/sector.json" };
  for (let count = 0; count < 25; count += 1) {
    await askFor(subject.server, app);
  }
  expect(fetched).toContain("https://victim.example/sector.json");
  expect(fetched).toHaveLength(20);
});

test.for([
  "https://127.0.0.1/client.json",
  "https://localhost/client.json",
  "https://169.254.169.254/client.json",
  "https://[::1]/client.json",
])("%s is fetched by nobody", async (address) => {
  await expect(fetchDocument(new URL(address), AbortSignal.timeout(2_000))).rejects.toThrow("is in a private network");
});

test("an address without TLS is not fetched", async () => {
  await expect(fetchDocument(new URL("http://assistant.example/client.json"), AbortSignal.timeout(2_000))).rejects.toThrow("only https");
});
