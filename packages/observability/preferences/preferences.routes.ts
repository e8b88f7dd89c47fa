import { hash } from "node:crypto";
import { orRefuse } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { z } from "zod";
import { nextPairSchema, preferencesRequestSchema, preferencesSchema, preferRequestSchema } from "#contract.ts";
import { resolveBaseline } from "#experiments/compare-experiments.ts";
import { experimentNotFound } from "#experiments/experiments.errors.ts";
import { experimentParams } from "#experiments/experiments.routes.ts";
import { findExperiment } from "#experiments/experiments.store.ts";
import { enterProject, type RouteDependencies } from "#query/access/project-route.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import { measurePreferences } from "./measure-preferences.ts";
import { answeredBefore, notPaired } from "./preferences.errors.ts";
import { countPairs, findNext, holdPair, writePreference, type OfPair } from "./preferences.store.ts";

const path = "/api/v1/projects/:project_id/experiments/:experiment_id/preferences";
const comparing = { auth: "user" };
const baselineSchema = preferencesRequestSchema.pick({ baseline: true });
const itemParams = experimentParams.extend({ item_id: z.uuid().toLowerCase() });

type PairRequest = Parameters<typeof enterProject>[1] & {
  readonly params: z.infer<typeof experimentParams>;
  readonly query: z.infer<typeof baselineSchema>;
};

/** Which of two experiments' outputs people and judges prefer. */
export function preferenceRoutes({ query }: Pick<RouteDependencies, "query">) {
  return (server: HttpServer): void => {
    server.get(
      path,
      {
        config: { auth: "user-or-evaluate" },
        schema: {
          summary: "How often an experiment's output is preferred to another's: by people, and by judges",
          params: experimentParams,
          querystring: preferencesRequestSchema,
          response: { 200: preferencesSchema },
        },
      },
      async (request) => measurePreferences(query, await enterPair(request, "viewer"), request.query.margin),
    );

    server.get(
      `${path}/next`,
      {
        config: comparing,
        schema: {
          summary: "The next item to compare by hand, without saying which output is whose",
          params: experimentParams,
          querystring: baselineSchema,
          response: { 200: nextPairSchema },
        },
      },
      async (request) => {
        const pair = await enterPair(request, "editor");
        const author = toAuthor(pair.reader);
        const found = await findNext(query, pair, author);
        const progress = await countPairs(query, pair, author);
        if (found === undefined) {
          return { ...progress, pair: null };
        }
        const { own, other, ...item } = found;
        const [first, second] = candidateIsFirst(pair, item.item_id, author) ? [own, other] : [other, own];
        return { ...progress, pair: { ...item, first, second } };
      },
    );

    server.put(
      `${path}/:item_id`,
      {
        config: comparing,
        schema: {
          summary: "Say which output is better, that neither is, or why that can't be said; once an item",
          params: itemParams,
          querystring: baselineSchema,
          body: preferRequestSchema,
          response: { 204: z.null() },
        },
      },
      async (request, reply) => {
        const pair = await enterPair(request, "editor");
        const [itemId, author] = [request.params.item_id, toAuthor(pair.reader)];
        const said = "preferred" in request.body ? request.body.preferred : "tie";
        const isCandidate = (said === "first") === candidateIsFirst(pair, itemId, author);
        const answer = {
          item_id: itemId,
          source: "person" as const,
          author,
          version: 0,
          repetition: 0,
          is_swapped: false,
          preferred: said === "tie" ? null : isCandidate ? pair.experimentId : pair.baselineId,
          is_skipped: "skip" in request.body,
          reason: "skip" in request.body ? request.body.skip : null,
        };
        await query.transaction().execute(async (transaction) => {
          orRefuse((await holdPair(transaction, pair, itemId)) || undefined, notPaired);
          orRefuse((await writePreference(transaction, pair, answer)) || undefined, answeredBefore);
        });
        return reply.status(204).send(null);
      },
    );
  };

  async function enterPair(request: PairRequest, role: "viewer" | "editor"): Promise<OfPair> {
    const project = await enterProject(query, request, role);
    const { experiment_id: experimentId } = request.params;
    const candidate = orRefuse(await findExperiment(query, { ...project, id: experimentId }), experimentNotFound);
    const [baseline] = await resolveBaseline(query, { ...project, candidate, named: request.query.baseline });
    return { ...project, experimentId: candidate.id, baselineId: baseline?.id ?? request.query.baseline };
  }
}

/** By the item and the person, whichever of the two is the candidate: half of the items each, and the same in every tab. */
function candidateIsFirst({ experimentId, baselineId }: OfPair, itemId: string, author: string): boolean {
  const [older, newer] = [experimentId, baselineId].toSorted();
  const isNewerFirst = hash("sha256", [older, newer, itemId, author].join(" "), "buffer").readUInt8() % 2 === 0;
  return isNewerFirst === (newer === experimentId);
}
