import { fromCursor } from "@sightline/foundation/cursor";
import { orRefuse } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import * as contract from "#contract.ts";
import { chooseTraces } from "#datasets/items-from-traces.ts";
import { cutPage } from "#query/access/cursor.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import { listScoreConfigs } from "#store/score-configs.store.ts";
import { annotate } from "./annotate.ts";
import { configMissing, queueNotFound, queueNotMade } from "./annotation.errors.ts";
import { measureAgreement } from "./measure-agreement.ts";
import * as queues from "./queues.store.ts";
import { claimSlot, listSlots, type Slot } from "./slots.store.ts";

const reading = { auth: "user-or-key" };
const changing = { auth: "user-or-operator" };
const labelling = { auth: "user" };
const path = "/api/v1/projects/:project_id/annotation-queues";
const queuePath = `${path}/:queue_id` as const;
const [tracesPath, claimsPath, tracePath] = [`${queuePath}/traces`, `${queuePath}/claims`, `${queuePath}/traces/:trace_id`] as const;
const queueParams = projectParams.extend({ queue_id: z.uuid() });

const listing = { summary: "Annotation queues of a project, with how far they are", params: projectParams };
const making = {
  summary: "Make an annotation queue, to which traces are added afterwards",
  params: projectParams,
  body: contract.createAnnotationQueueRequestSchema,
};
const looking = {
  summary: "Traces of an annotation queue, with what was said of those that are done, and how far people agree",
  params: queueParams,
  querystring: contract.listAnnotatedRequestSchema,
};
const adding = {
  summary: "Add traces to an annotation queue: named ones, a session's, a sample of a query's, or an experiment's runs",
  params: queueParams,
  body: contract.addToQueueRequestSchema,
};
const claiming = {
  summary: "Take the next trace to label, or the one that is held; for 15 minutes it is nobody else's",
  params: queueParams,
};
const saying = {
  summary: "Label a trace that was taken, skip it with a reason, or resolve labels that differ",
  params: queueParams.extend({ trace_id: z.uuid() }),
  body: contract.annotateRequestSchema,
};
const deleting = { summary: "Delete an annotation queue; the scores of traces that are done stay", params: queueParams };

type QueueRequest = Parameters<typeof enterProject>[1] & { readonly params: z.infer<typeof queueParams> };

/** Queues of traces, and what people say of them. */
export function annotationRoutes({ query, clock, log }: RouteDependencies) {
  return (server: HttpServer): void => {
    server.get(
      path,
      { config: reading, schema: { ...listing, response: { 200: contract.annotationQueueListSchema } } },
      async (request) => {
        const project = await enterProject(query, request, "viewer");
        const progress = await queues.countProgress(query, project, toAuthor(project.reader));
        const rows = await queues.listQueues(query, project);
        const items = rows.map((row) => ({
          ...row,
          created_at: row.created_at.toISOString(),
          ...(progress.get(row.id) ?? queues.NO_PROGRESS),
        }));
        return { items, next_cursor: null };
      },
    );

    server.post(
      path,
      { config: changing, schema: { ...making, response: { 201: contract.createdQueueSchema } } },
      async (request, reply) => {
        const project = await enterProject(query, request, "editor");
        const configs = await listScoreConfigs(query, project);
        const unknown = request.body.scores.filter((score) => configs.every(({ name }) => name !== score));
        if (unknown.length > 0) {
          throw configMissing(unknown);
        }
        const [id, author] = [uuidv7(), toAuthor(project.reader)];
        const isMade = await queues.insertQueue(query, { ...project, ...request.body, id, created_by: author });
        orRefuse(isMade || undefined, queueNotMade);
        log.info({ project: project.projectId, queue: id, by: author }, "an annotation queue was made");
        return reply.status(201).send({ id });
      },
    );

    server.get(
      tracesPath,
      { config: reading, schema: { ...looking, response: { 200: contract.annotatedTracePageSchema } } },
      async (request) => {
        const { cursor, limit, only } = request.query;
        const [after] = cursor === undefined ? [0] : fromCursor(cursor, z.tuple([z.int32()]));
        const { of } = await enterQueue(request, "viewer");
        const traces = await listSlots(query, { ...of, isDisputed: only === "disputed", after, limit: limit + 1 });
        const { shown, ...page } = cutPage(traces, limit, ([slot]) => [slot?.place]);
        const items = shown.map((slots) => presentTrace(slots, toAuthor(of.reader)));
        return { items, ...page, agreement: cursor === undefined ? await measureAgreement(query, of) : [] };
      },
    );

    server.post(
      tracesPath,
      { config: changing, schema: { ...adding, response: { 200: contract.addedToQueueSchema } } },
      async (request) => {
        const { of, queue } = await enterQueue(request, "editor");
        const { experiment_id: experimentId, ...asked } = request.body;
        const { traces } = await chooseTraces(query, { ...of, ...asked, now: clock.now() });
        const ids = traces.map((trace) => trace.trace_id);
        const given = experimentId === undefined ? queues.tracesOfIds(ids) : queues.tracesOfExperiment(of.projectId, experimentId);
        return { added: await queues.addTraces(query, of, queue.annotators, given) };
      },
    );

    server.post(
      claimsPath,
      { config: labelling, schema: { ...claiming, response: { 200: contract.claimedTraceSchema } } },
      async (request) => {
        const { of } = await enterQueue(request, "editor");
        return { trace_id: (await claimSlot(query, of, toAuthor(of.reader))) ?? null };
      },
    );

    server.put(
      tracePath,
      { config: labelling, schema: { ...saying, response: { 200: contract.annotatedTraceSchema } } },
      async (request) => {
        const { of, queue } = await enterQueue(request, "editor");
        const annotator = toAuthor(of.reader);
        return presentTrace(await annotate(query, { ...of, traceId: request.params.trace_id, queue, annotator }, request.body), annotator);
      },
    );

    server.delete(queuePath, { config: changing, schema: { ...deleting, response: { 204: z.null() } } }, async (request, reply) => {
      const { of } = await enterQueue(request, "editor");
      await queues.deleteQueue(query, of);
      log.info({ project: of.projectId, queue: of.id, by: toAuthor(of.reader) }, "an annotation queue was deleted");
      return reply.status(204).send(null);
    });
  };

  async function enterQueue(request: QueueRequest, role: "viewer" | "editor") {
    const of = { ...(await enterProject(query, request, role)), id: request.params.queue_id };
    return { of, queue: orRefuse((await queues.listQueues(query, of))[0], queueNotFound) };
  }
}

/** What a reader may know of a trace: of others nothing before all have said what they say. */
function presentTrace(slots: readonly Slot[], reader: string): contract.AnnotatedTrace {
  const isDone = slots.every(({ state }) => state !== "waiting");
  const annotations = slots.flatMap(({ annotator, state, labels, reason }) =>
    state === "waiting" || annotator === null || (!isDone && annotator !== reader)
      ? []
      : [{ annotator, state, labels: [...labels], reason }],
  );
  return { trace_id: slots[0]?.trace_id ?? "", is_done: isDone, annotations };
}
