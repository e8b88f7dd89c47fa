import { fromCursor, toCursor } from "@sightline/foundation/cursor";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { z } from "zod";
import {
  gapPageSchema,
  listGapsRequestSchema,
  listRequestSchema,
  lostProducerListSchema,
  lostProducerSchema,
  type Gap as GapAnswer,
  type GapPage,
} from "#contract.ts";
import type { Query } from "#schema.ts";
import { listLostProducers, type LostProducer } from "./gone-producers.store.ts";
import { listGaps, type Gap, type GapPosition } from "./list-gaps.store.ts";
import type { Reader } from "#store/reader.ts";
import { microsSchema } from "#query/access/cursor.ts";
import { getReader } from "#query/access/request-reader.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";

/** Serves lost events: of one project, and of all that the caller may see. */
export function gapRoutes({ query }: Pick<RouteDependencies, "query">) {
  return (server: HttpServer): void => {
    server.get(
      "/api/v1/gaps",
      {
        config: { auth: "user-or-operator" },
        schema: {
          summary: "Lost events of all projects that the caller may see, as ranges of a producer's numbers",
          querystring: listGapsRequestSchema,
          response: { 200: gapPageSchema },
        },
      },
      async (request) => {
        const { project_id: projectId, ...page } = request.query;
        return readPage(query, { reader: getReader(request), projectId, ...page });
      },
    );

    server.get(
      "/api/v1/projects/:project_id/gaps",
      {
        config: { auth: "user-or-key" },
        schema: {
          summary: "Lost events of a project",
          params: projectParams,
          querystring: listRequestSchema,
          response: { 200: gapPageSchema },
        },
      },
      async (request) => {
        const { reader, projectId } = await enterProject(query, request, "viewer");
        return readPage(query, { reader, projectId, ...request.query });
      },
    );

    server.get(
      "/api/v1/projects/:project_id/lost-producers",
      {
        config: { auth: "user-or-key" },
        schema: {
          summary: "Processes of the last 24 hours that ended without a goodbye, so that what they had not sent is missing",
          params: projectParams,
          response: { 200: lostProducerListSchema },
        },
      },
      async (request) => {
        const rows = await listLostProducers(query, await enterProject(query, request, "viewer"));
        return { items: rows.flatMap(presentProducer), total: rows[0]?.total ?? 0 };
      },
    );
  };
}

type GapsPageQuery = {
  readonly reader: Reader;
  readonly projectId: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
};

async function readPage(query: Query, { cursor, limit, ...wanted }: GapsPageQuery): Promise<GapPage> {
  const rows = await listGaps(query, { ...wanted, after: positionOf(cursor), limit: limit + 1 });
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    items: rows.slice(0, limit).map(present),
    next_cursor: last === undefined ? null : toCursor([last.found_micros, last.project_id, last.producer_id, last.first_seq]),
  };
}

const positionSchema = z.tuple([microsSchema, z.uuid(), z.uuid(), z.int()]);

function positionOf(cursor: string | undefined): GapPosition | undefined {
  if (cursor === undefined) {
    return undefined;
  }
  const [micros, projectId, producerId, firstSeq] = fromCursor(cursor, positionSchema);
  return { micros, projectId, producerId, firstSeq };
}

const helloSchema = lostProducerSchema.shape.producer;

function presentProducer({ producer_id: id, hello, first_event_at: first, last_event_at: last }: LostProducer) {
  const producer = helloSchema.safeParse(hello).data;
  return producer === undefined
    ? []
    : [{ producer_id: id, producer, first_event_at: first.toISOString(), last_event_at: last.toISOString() }];
}

function present({ hello, ...row }: Gap): GapAnswer {
  return {
    id: row.id,
    project_id: row.project_id,
    producer_id: row.producer_id,
    producer: helloSchema.safeParse(hello).data ?? null,
    first_seq: row.first_seq,
    last_seq: row.last_seq,
    events: row.last_seq - row.first_seq + 1,
    found_at: row.found_at.toISOString(),
    producer_first_event_at: row.first_event_at?.toISOString() ?? null,
    producer_last_event_at: row.last_event_at?.toISOString() ?? null,
  };
}
