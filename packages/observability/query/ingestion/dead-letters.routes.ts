import type { Clock } from "@sightline/foundation/clock";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import type { Logger } from "@sightline/foundation/log";
import { z } from "zod";
import { deadLetterPageSchema, deadLetterSchema, listDeadLettersRequestSchema, type DeadLetter as DeadLetterAnswer } from "#contract.ts";
import type { Query } from "#schema.ts";
import { findRole, type Reader } from "#store/reader.ts";
import { deleteDeadLetter, findDeadLetter, findRoleByDeadLetter, listDeadLetters, type DeadLetter } from "./dead-letters.store.ts";
import { readCursor, toPage } from "#query/access/cursor.ts";
import { deadLetterNotFound } from "./dead-letter.errors.ts";
import { roleMissing } from "#query/access/not-found.errors.ts";
import { toAuthor, getReader } from "#query/access/request-reader.ts";
import { replayDeadLetter, type ReplayStream } from "./replay-dead-letter.ts";

type DeadLettersOptions = {
  readonly query: Query;
  readonly clock: Clock;
  readonly log: Logger;
  readonly stream: ReplayStream;
};

const config = { auth: "user-or-operator" };
const params = z.object({ dead_letter_id: z.uuid() });

/**
 * Serves dead letters. The operator sees all; others those that name a project of which they are owners: an entry is
 * raw, and nothing in it was masked.
 */
export function deadLetterRoutes({ query, clock, log, stream }: DeadLettersOptions) {
  async function load(id: string, reader: Reader): Promise<DeadLetter> {
    const deadLetter = await findDeadLetter(query, { id, reader });
    if (deadLetter === undefined) {
      throw (await findRoleByDeadLetter(query, { id, reader })) === undefined ? deadLetterNotFound() : roleMissing("owner");
    }
    return deadLetter;
  }

  return (server: HttpServer): void => {
    server.get(
      "/api/v1/dead-letters",
      {
        config,
        schema: {
          summary: "Entries of the stream that were set aside, and why",
          querystring: listDeadLettersRequestSchema,
          response: { 200: deadLetterPageSchema },
        },
      },
      async (request) => {
        const { cursor, limit, state, project_id: projectId } = request.query;
        const reader = getReader(request);
        const role = projectId === undefined ? undefined : await findRole(query, { id: projectId, reader });
        if (role !== undefined && role !== "owner") {
          throw roleMissing("owner");
        }
        const wanted = {
          reader,
          projectId,
          state: state === "all" ? undefined : state,
          after: readCursor(cursor),
          limit: limit + 1,
        };
        return toPage(await listDeadLetters(query, wanted), limit, present);
      },
    );

    server.get(
      "/api/v1/dead-letters/:dead_letter_id",
      { config, schema: { summary: "One of them, whole", params, response: { 200: deadLetterSchema } } },
      async (request) => present(await load(request.params.dead_letter_id, getReader(request))),
    );

    server.post(
      "/api/v1/dead-letters/:dead_letter_id/replay",
      { config, schema: { summary: "Put it on the stream again, under the same event id", params, response: { 200: deadLetterSchema } } },
      async (request) => {
        const reader = getReader(request);
        const by = toAuthor(reader);
        const deadLetter = await load(request.params.dead_letter_id, reader);
        await replayDeadLetter({ query, stream, deadLetter, reader, by, at: clock.now() });
        log.info({ deadLetter: deadLetter.id, by }, "a dead letter was replayed");
        return present(await load(deadLetter.id, reader));
      },
    );

    server.delete(
      "/api/v1/dead-letters/:dead_letter_id",
      {
        config,
        schema: { summary: "Delete its texts; that it was there, and who deleted it, stays", params, response: { 200: deadLetterSchema } },
      },
      async (request) => {
        const reader = getReader(request);
        const by = toAuthor(reader);
        const { id } = await load(request.params.dead_letter_id, reader);
        if (await deleteDeadLetter(query, { id, reader, by, at: clock.now() })) {
          log.info({ deadLetter: id, by }, "a dead letter was deleted");
        }
        return present(await load(id, reader));
      },
    );
  };
}

function present({ position: _position, ...row }: DeadLetter): DeadLetterAnswer {
  return {
    ...row,
    created_at: row.created_at.toISOString(),
    replayed_at: row.replayed_at?.toISOString() ?? null,
    deleted_at: row.deleted_at?.toISOString() ?? null,
  };
}
