import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { changesBetween, credentialsOf, FACTORS, makeBearer, PROOFS, type Bearer } from "#testing/bearers.ts";
import { startCompanyProvider, type CompanyProvider } from "#testing/company-provider.ts";
import { GUARDED } from "#testing/guarded-routes.ts";
import { createIdentityFixture, type IdentityFixture } from "#testing/identity-fixture.ts";
import { COMMANDS, listCommands, listTasks, TASKS } from "#testing/commands-and-tasks.ts";
import { OPEN } from "#testing/open-routes.ts";
import { addressOf, type Row, type Sent } from "#testing/route-row.ts";

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
async function answerOfRoute(route: string, sent: Sent, token?: string): Promise<string> {
  const { payload, cookie } = sent;
  const [method = "", path = ""] = route.split(" ");
  const answer = await subject.server.inject({
    method: method as "POST",
    url: addressOf(path, sent),
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(cookie === undefined ? {} : { cookie }),
    },
    ...(payload === undefined ? {} : { payload }),
  });
  const { error, status } = answer.statusCode < 400 ? { error: "done" } : answer.json<{ error?: string; status?: string }>();
  // A directory is answered with a status alone.
  return error ?? status ?? "";
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

test("every command and every task has a row here, and every row is one", async () => {
  expect(listCommands(subject).toSorted()).toEqual(Object.keys(COMMANDS).toSorted());
  expect((await listTasks()).toSorted()).toEqual(Object.keys(TASKS).toSorted());
});

test.each(Object.entries(COMMANDS))("the command %s", async (_name, { changes, run }) => {
  const bearer = await makeBearer(subject, "a passkey and an app");
  const before = await credentialsOf(subject, bearer.id);
  await run(bearer, subject);
  expect(changesBetween(before, await credentialsOf(subject, bearer.id))).toEqual(changes);
});

test.each(Object.entries(TASKS))("the task %s changes no credential that counts", async (_name, run) => {
  const { id } = await makeBearer(subject, "a passkey and an app");
  const before = await credentialsOf(subject, id);
  await run(subject);
  expect(changesBetween(before, await credentialsOf(subject, id))).toEqual([]);
});
