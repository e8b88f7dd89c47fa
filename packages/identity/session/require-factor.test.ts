import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createAnchors } from "#audit/keep-anchors.ts";
import { createOutsideAnchor } from "#audit/outside-anchor.ts";
import { createHousekeeping } from "#housekeeping.ts";
import { createMailer } from "#notices/mailer.ts";
import { createNotices } from "#notices/notices.ts";
import { createOutbox } from "#notices/outbox.ts";
import { createDomainChecks } from "#sso/recheck-domains.ts";
import { changesBetween, credentialsOf, FACTORS, makeBearer, PROOFS, type Bearer } from "#testing/bearers.ts";
import { startCompanyProvider, type CompanyProvider } from "#testing/company-provider.ts";
import { GUARDED } from "#testing/guarded-routes.ts";
import { createIdentityFixture, type IdentityFixture } from "#testing/identity-fixture.ts";
import { OPEN } from "#testing/open-routes.ts";
import type { Row, Sent } from "#testing/route-row.ts";
import { ringUnderTest } from "#testing/second-factor-setup.ts";

let subject: IdentityFixture;
let provider: CompanyProvider;

beforeAll(async () => {
  provider = await startCompanyProvider();
  subject = await createIdentityFixture({
    environment: { IDENTITY_ALLOW_PRIVATE_HOSTS: "127.0.0.1", REGISTRATION: "open", SMTP_URL: "smtp://127.0.0.1:1" },
  });
});

beforeEach(async () => {
  await subject.database.query.deleteFrom("identity.throttles").execute();
  await subject.database.query.deleteFrom("identity.sso_providers").execute();
});

afterAll(async () => {
  await subject.close();
  await provider.stop();
});

/** @returns `done`, or the code of the refusal. */
async function answerOfRoute(route: string, { id, payload, cookie }: Sent, token?: string): Promise<string> {
  const [method = "", path = ""] = route.split(" ");
  const answer = await subject.server.inject({
    method: method as "POST",
    url: id === undefined ? path : path.replace(/:\w+/, id),
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(cookie === undefined ? {} : { cookie }),
    },
    ...(payload === undefined ? {} : { payload }),
  });
  return answer.statusCode < 400 ? "done" : answer.json<{ error: string }>().error;
}

test("every route that changes something has a row here, and every row its route", () => {
  const changing = [...subject.routes].filter((route) => !/^(GET|HEAD|OPTIONS) /.test(route));
  const rows = [...Object.keys(GUARDED), ...Object.keys(OPEN)];
  expect(
    changing.filter((route) => !rows.includes(route)),
    "routes without a row",
  ).toEqual([]);
  expect(
    rows.filter((route) => !subject.routes.has(route)),
    "rows without a route",
  ).toEqual([]);
});

const CASES = FACTORS.flatMap((factors) => PROOFS.map((proof) => ({ factors, proof }))).filter(
  // An account without a second factor is given no partial token.
  ({ factors, proof }) => !(factors === "no second factor" && proof === "a partial token"),
);

/** By case: an account that nothing was changed of serves the next route, too. */
const untouched = new Map<string, Bearer>();

async function findBearer(factors: Bearer["factors"], proof: Bearer["proof"], who = "self"): Promise<Bearer> {
  const name = `${factors} ${proof} ${who}`;
  const bearer = untouched.get(name) ?? (await makeBearer(subject, factors, proof));
  untouched.set(name, bearer);
  return bearer;
}

type Outcome = { readonly answer: string; readonly changed: readonly string[] };

/** @returns what was answered, and which credentials are others than before. */
async function tryRoute(route: string, { sends = () => ({}), isOnAnother }: Row, bearer: Bearer, token?: string): Promise<Outcome> {
  const owner = isOnAnother === undefined ? bearer : await findBearer("a passkey and an app", "an old session", "another");
  const sent = await sends(bearer, { subject, provider, owner });
  const before = await credentialsOf(subject, owner.id);
  const answer = await answerOfRoute(route, sent, token);
  const changed = changesBetween(before, await credentialsOf(subject, owner.id));
  for (const [name, { id }] of changed.length === 0 ? [] : untouched) {
    if (id === owner.id) {
      untouched.delete(name);
    }
  }
  return { answer, changed };
}

function outcomeFor({ answers, changes = () => [] }: Row, bearer: Bearer, answer = answers(bearer)): Outcome {
  return { answer, changed: answer === "done" ? changes(bearer) : [] };
}

describe.each(Object.entries(GUARDED))("%s", (route, row) => {
  test.each(CASES)("of an account with $factors, by $proof", async ({ factors, proof }) => {
    const bearer = await findBearer(factors, proof);
    const expected = outcomeFor(row, bearer, proof === "a partial token" ? "auth_failed" : undefined);
    expect(await tryRoute(route, row, bearer, bearer.token)).toEqual(expected);
  });
});

describe.each(Object.entries(OPEN))("%s", (route, row) => {
  test.each(FACTORS)("of an account with %s, by none of its second factors", async (factors) => {
    const bearer = await findBearer(factors, "an old session");
    expect(await tryRoute(route, row, bearer)).toEqual(outcomeFor(row, bearer));
  });
});

/** The commands of the host, and what each changes of an account: whoever runs them holds the database already. */
const COMMANDS: Readonly<Record<string, { readonly changes: readonly string[]; readonly run: (bearer: Bearer) => unknown }>> = {
  ensureFirstAdmin: { changes: [], run: () => subject.identity.ensureFirstAdmin() },
  ensureTenant: { changes: [], run: () => subject.identity.ensureTenant("another") },
  listTenants: { changes: [], run: () => subject.identity.listTenants() },
  createAdmin: {
    changes: [],
    run: () => subject.identity.createAdmin({ email: `${crypto.randomUUID()}@example.org`, name: "Ada", tenantName: "default" }),
  },
  verifyAudit: { changes: [], run: () => subject.identity.verifyAudit() },
  anchorAudit: { changes: [], run: () => subject.identity.anchorAudit() },
  signAudit: { changes: [], run: () => subject.identity.signAudit() },
  describeRestore: { changes: [], run: () => subject.identity.describeRestore() },
  acceptRestore: {
    changes: [],
    run: async () => subject.identity.acceptRestore({ head: (await subject.identity.verifyAudit()).head, by: "ada" }),
  },
  exportAudit: { changes: [], run: () => text(Readable.from(subject.identity.exportAudit({}))) },
  issueCommandToken: { changes: [], run: () => subject.identity.issueCommandToken({ tenantId: crypto.randomUUID(), purpose: "a test" }) },
  "keys.status": { changes: [], run: () => subject.identity.keys.status() },
  "keys.reseal": { changes: [], run: () => subject.identity.keys.reseal() },
  "keys.rotateSigningKey": { changes: [], run: () => subject.identity.keys.rotateSigningKey() },
  "host.listAdmins": { changes: [], run: () => subject.identity.host.listAdmins() },
  "host.resetPassword": { changes: ["password", "sessions"], run: ({ email }) => subject.identity.host.resetPassword(email) },
  "host.resetSecondFactor": {
    changes: ["factors", "sessions"],
    run: ({ email }) => subject.identity.host.resetSecondFactor({ email, reason: "lost phone" }),
  },
  "host.unlockSecondFactor": { changes: [], run: ({ email }) => subject.identity.host.unlockSecondFactor(email) },
  "host.deleteTenant": { changes: [], run: () => subject.identity.host.deleteTenant("another") },
};

/** They run by themselves. Nobody takes the mail here. */
const TASKS: Readonly<Record<string, () => Promise<unknown>>> = {
  "housekeeping of identity": () => createHousekeeping(surroundings()).run(),
  "signing the audit": () =>
    createAnchors({
      ...surroundings(),
      outside: createOutsideAnchor({ home: undefined, log: silentLog }),
      file: undefined,
      url: undefined,
    }).run(),
  "checking proofs of e-mail domains": () =>
    createDomainChecks({
      ...surroundings(),
      notices: createNotices({ sealer: ringUnderTest(), mailed: false }),
      lookUpProof: () => Promise.reject(new Error("not asked")),
    }).run(),
  "sending notices": () => {
    const publicUrl = "http://localhost:3000";
    const server = { host: "127.0.0.1", port: 1, tls: "off", user: undefined, password: undefined } as const;
    const mailer = createMailer({ server, from: { name: "Sightline", address: "sightline@example.org" }, publicUrl });
    return createOutbox({ ...surroundings(), mailer, publicUrl }).sendDue();
  },
};

function surroundings() {
  return { queries: subject.database.query, sealer: ringUnderTest(), log: silentLog, clock: subject.clock };
}

test("every command and every task has a row here, and every row is one", async () => {
  const { identity } = subject;
  const served = ["routes", "authenticators", "start", "stop", "checks", "keys", "host"];
  const commands = [
    ...Object.keys(identity).filter((name) => !served.includes(name)),
    ...Object.keys(identity.keys).map((name) => `keys.${name}`),
    ...Object.keys(identity.host).map((name) => `host.${name}`),
  ];
  expect(commands.toSorted()).toEqual(Object.keys(COMMANDS).toSorted());
  expect((await namesOfTasks()).toSorted()).toEqual(Object.keys(TASKS).toSorted());
});

test.each(Object.entries(COMMANDS))("the command %s", async (_name, { changes, run }) => {
  const bearer = await makeBearer(subject, "a passkey and an app");
  const before = await credentialsOf(subject, bearer.id);
  await run(bearer);
  expect(changesBetween(before, await credentialsOf(subject, bearer.id))).toEqual(changes);
});

test.each(Object.entries(TASKS))("the task %s changes no credential that counts", async (_name, run) => {
  const { id } = await makeBearer(subject, "a passkey and an app");
  const before = await credentialsOf(subject, id);
  await run();
  expect(changesBetween(before, await credentialsOf(subject, id))).toEqual([]);
});

/** Reads the names of tasks from the sources. */
async function namesOfTasks(): Promise<readonly string[]> {
  const part = join(import.meta.dirname, "..");
  const files = (await readdir(part, { recursive: true })).filter(
    (file) => /(?<!\.test)\.ts$/.test(file) && !/node_modules|^testing/.test(file),
  );
  const sources = await Promise.all(files.map((file) => readFile(join(part, file), "utf8")));
  return sources.flatMap((source) => [...source.matchAll(/tasks: \[\{ name: "([^"]+)"/g)].map(([, name = ""]) => name));
}
