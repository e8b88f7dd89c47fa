import { eachOwnerUnderTest } from "@sightline/foundation/testing/each-owner";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deleteTraces } from "#deletion/delete-traces.store.ts";
import { carryOutDeletions } from "#deletion/carry-out-deletions.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { startAnsweringModel, type AnsweringModel } from "#testing/answering-model.ts";
import { countAndFind } from "#testing/count-and-find.ts";
import { findText } from "#testing/find-text.ts";
import { createJudgeRig, type JudgeRig } from "#testing/judge-rig.ts";

let database: TestDatabase<ObservabilitySchema>;
let model: AnsweringModel;
let rig: JudgeRig;
/** What happens between the call of a model and its answer. */
let whileAsked: () => Promise<unknown> = async () => undefined;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  model = await startAnsweringModel(async (prompt) => {
    await whileAsked();
    return { says: { explanation: `It says ${/hidden-\w+/.exec(prompt)?.[0] ?? "nothing"}.`, value: true } };
  });
  rig = await createJudgeRig(database, model.url);
});
afterAll(async () => {
  await rig.close();
  await model.close();
  await database.drop();
});

const LATER = new Date(Date.now() + 3_600_000);
const carryOut = () =>
  carryOutDeletions({ query: database.query, each: eachOwnerUnderTest(), settledBefore: LATER, signal: new AbortController().signal });

test("with a user go the explanations of their traces and the judges' traces, whatever was being judged meanwhile", async () => {
  const judge = await rig.makeEvaluator();
  await rig.post(`/evaluators/${judge.id}/rules`, { kind: "live", budget: null });
  await rig.endTraces([
    { output: "hidden-first", user: "ann" },
    { output: "kept", user: "bob" },
  ]);
  await rig.judgeAll();
  expect(await findText(database, rig.rig.redis.client, ["hidden-first"])).not.toEqual([]);
  await rig.endTraces([{ output: "hidden-second", user: "ann" }]);
  // Asked for while the second one is with the judge, whose trace then comes after the deletion.
  whileAsked = async () => {
    await rig.api.server.inject({ method: "DELETE", url: `${rig.base}/users/ann`, headers: { authorization: "Bearer tenant-1:admin" } });
    await carryOut();
  };
  await rig.judgeAll();
  await carryOut();
  await carryOut();
  await countAndFind(database, rig.projectId);
  await rig.rig.redis.client.del(rig.rig.stream);
  expect(await findText(database, rig.rig.redis.client, ["hidden-"])).toEqual([]);
  const left = await rig.readJudgements(judge.id);
  expect(left.map(({ state }) => state)).toEqual(["judged"]);
});

test("with a trace goes what the judge of a draft read of it, and one that goes meanwhile leaves nothing", async () => {
  const remove = async (id: string) => deleteTraces(database.query, { projectId: rig.projectId, reader: { kind: "operator" }, ids: [id] });
  const [before = "", meanwhile = ""] = await rig.endTraces([{ output: "secret-first" }, { output: "secret-second" }]);
  whileAsked = async () => undefined;
  const tryOn = async (traceId: string) => rig.post("/evaluators/try", { definition: rig.definition, trace_id: traceId });
  expect((await tryOn(before)).body).toMatchObject({ state: "judged" });
  await rig.store();
  await remove(before);
  whileAsked = async () => {
    await remove(meanwhile);
  };
  expect((await tryOn(meanwhile)).body).toMatchObject({ state: "judged", judge_trace_id: null });
  await carryOut();
  await carryOut();
  await countAndFind(database, rig.projectId);
  await rig.rig.redis.client.del(rig.rig.stream);
  expect(await findText(database, rig.rig.redis.client, ["secret-"])).toEqual([]);
});
