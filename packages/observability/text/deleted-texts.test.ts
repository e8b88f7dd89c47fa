import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { countMarkedTraces } from "#counting/count-traces.store.ts";
import { deleteTraces } from "#deletion/delete-traces.store.ts";
import { deleteProject } from "#store/delete-project.store.ts";
import { createProducer, type Producer } from "#testing/agent-run.ts";
import { sweepDeletedProjects, sweepRetention } from "#testing/in-the-background.ts";
import { makeOld } from "#testing/make-old.ts";
import { createTextFixture, saying, SYSTEM, type TextFixture } from "#testing/text-fixture.ts";
import { writeEvents } from "#testing/write-events.ts";

let texts: TextFixture;
let projectId: string;
let producer: Producer;

beforeAll(async () => {
  texts = await createTextFixture();
});
afterAll(() => texts.close());
beforeEach(async () => {
  projectId = await texts.createProject();
  producer = createProducer(projectId);
});

const owner = { kind: "operator" } as const;
/** Two traces of a user, of which one says what another trace of somebody else's says, too. */
async function say() {
  const gone = [
    saying(producer, { output: { a: "the secret quokka", prompt: SYSTEM } }, { user: "erika" }),
    saying(producer, { error: "Error: quokka", input: [SYSTEM] }, { user: "erika" }),
  ];
  const stays = saying(producer, { input: [SYSTEM] });
  await writeEvents(
    texts.database,
    [...gone, stays].flatMap(({ events }) => events),
  );
  await texts.index(projectId);
  expect([(await texts.found(projectId, "quokka")).length, (await texts.found(projectId, "northwind")).length]).toEqual([2, 3]);
  return { gone: gone.map(({ id }) => id), stays: stays.id };
}

/** What is found at once, and what is left where a moment later. */
async function whatIsLeft() {
  const ids = [await texts.found(projectId, "quokka"), await texts.found(projectId, "northwind")];
  while (await countMarkedTraces(texts.database.query, projectId)) {
    // The entries of traces that are gone go.
  }
  await texts.index(projectId);
  return { found: ids, left: await texts.whereIs("quokka"), texts: await texts.countTexts(projectId) };
}

test("what is deleted is gone with its traces, from every table, and what another trace says stays", async () => {
  const { gone, stays } = await say();
  await deleteTraces(texts.database.query, { projectId, reader: owner, ids: gone });
  expect(await whatIsLeft()).toEqual({ found: [[], [stays]], left: [], texts: 1 });
});

test("what is deleted is gone, though its trace was deleted before it is read, too", async () => {
  const { id, events } = saying(producer, { output: "the secret quokka" });
  await writeEvents(texts.database, events);
  await deleteTraces(texts.database.query, { projectId, reader: owner, ids: [id] });
  expect(await whatIsLeft()).toEqual({ found: [[], []], left: [], texts: 0 });
});

test("what is deleted is gone when its retention is over", async () => {
  await say();
  await makeOld(texts.database);
  await texts.database.pool.query("update observability.projects set retention_days = 7 where id = $1", [projectId]);
  await sweepRetention(texts.database.query);
  expect(await whatIsLeft()).toEqual({ found: [[], []], left: [], texts: 0 });
});

test("what is deleted is gone with its project, also what was let go of a moment before", async () => {
  const { gone } = await say();
  await deleteTraces(texts.database.query, { projectId, reader: owner, ids: gone });
  await deleteProject(texts.database.query, { id: projectId, reader: owner });
  await sweepDeletedProjects(texts.database.query);
  await sweepDeletedProjects(texts.database.query);
  expect([await texts.whereIs("quokka"), await texts.countTexts(projectId)]).toEqual([[], 0]);
});
