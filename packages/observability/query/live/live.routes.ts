import type { Authenticator, HttpServer } from "@sightline/foundation/http/http-server";
import type { Logger } from "@sightline/foundation/log";
import { getPrincipal } from "@sightline/foundation/http/principal";
import { streamedAnswer } from "@sightline/foundation/http/streamed-answer";
import { liveRequestSchema } from "#contract.ts";
import type { Query } from "#schema.ts";
import { findRun } from "#query/steps/find-run.store.ts";
import { findVersions } from "#query/steps/steps.store.ts";
import type { CommitFeed } from "./commit-feed.ts";
import { createLiveHub, type LiveTuning, type WatchedTrace } from "./live-hub.ts";
import { traceNotFound } from "#query/access/not-found.errors.ts";
import { toLimitOwner } from "#query/access/request-reader.ts";
import { getReader } from "#query/access/request-reader.ts";
import { enterProject, projectParams } from "#query/access/project-route.ts";
import { isWritten, readSeen, type Revision } from "#query/steps/revision.ts";

type LiveOptions = {
  readonly feed: CommitFeed;
  readonly query: Query;
  readonly log: Logger;
  readonly tuning: LiveTuning;
};

type Request = Parameters<Authenticator>[0];

const eventStream = streamedAnswer(
  "text/event-stream",
  "Server-sent events: `ready` at the start, `traces` when some changed, `refused` before an end that is none of ours.",
);

/** Serves streams of changes. `authenticate` is called again and again while one is open. */
export function createLive({ feed, query, log, tuning }: LiveOptions) {
  const hub = createLiveHub({ feed, query, log, tuning });

  async function look(
    request: Request,
    { projectId, traceId, since }: { readonly projectId: string; readonly traceId: string; readonly since: Revision | undefined },
  ): ReturnType<WatchedTrace["look"]> {
    const run = await findRun(query, { reader: getReader(request), projectId, traceId });
    if (run === undefined) {
      return undefined;
    }
    const seen = await findVersions(query, run);
    return {
      ids: run.segments.map(({ id }) => id),
      revision: readSeen(seen).revision,
      isChanged: since === undefined || isWritten(seen, since),
    };
  }

  const routes = (authenticate: Authenticator) => (server: HttpServer) => {
    server.addHook("preClose", async () => hub.stop());
    server.get(
      "/api/v1/projects/:project_id/live",
      {
        config: { auth: "user-or-key" },
        schema: {
          summary: "Server-sent events that say which traces of a project changed, or that one did",
          params: projectParams,
          querystring: liveRequestSchema,
          response: { 200: eventStream },
        },
      },
      async (request, reply) => {
        const { trace_id: traceId } = request.query;
        const mayRead = () => enterProject(query, request, "viewer");
        const { projectId } = await mayRead();
        if (traceId !== undefined && (await look(request, { projectId, traceId, since: undefined })) === undefined) {
          throw traceNotFound();
        }
        const stream = hub.open({
          projectId,
          owner: toLimitOwner(getPrincipal(request)),
          trace: traceId === undefined ? undefined : { id: traceId, look: (since) => look(request, { projectId, traceId, since }) },
          check: async () => {
            await authenticate(request);
            await mayRead();
          },
        });
        return (
          reply
            .header("content-type", "text/event-stream; charset=utf-8")
            .header("cache-control", "no-store")
            .header("x-accel-buffering", "no")
            // A server that stops waits for open connections, and an ended stream has nothing more to send.
            .header("connection", "close")
            .send(stream)
        );
      },
    );
  };
  return { routes, start: feed.start, stop: feed.stop };
}
