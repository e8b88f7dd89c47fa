import type { HttpServer } from "@sightline/foundation/http/http-server";
import {
  maskingRulesSchema,
  maskingSchema,
  triedMaskingSchema,
  tryMaskingRequestSchema,
  type Masking,
  type MaskingRules,
} from "#contract.ts";
import { createMasker, MaskingError, PatternError, type Masker } from "#events/masker.ts";
import { findMasking, putMasking, type MaskingRow } from "#store/masking.store.ts";
import { projectNotFound } from "#query/access/not-found.errors.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { refusal } from "@sightline/foundation/errors";

const config = { auth: "user-or-operator" };
/** Serves masking rules to owners only, since they reveal what there is to find. */
export function maskingRoutes({ query, clock, log }: RouteDependencies) {
  return (server: HttpServer): void => {
    server.get(
      "/api/v1/projects/:project_id/masking",
      {
        config,
        schema: {
          summary: "What is masked in a project's events before they are stored",
          params: projectParams,
          response: { 200: maskingSchema },
        },
      },
      async (request) => {
        const { reader, projectId } = await enterProject(query, request, "owner");
        return present(await findMasking(query, { projectId, reader }));
      },
    );

    server.put(
      "/api/v1/projects/:project_id/masking",
      {
        config,
        schema: {
          summary: "Set all of a project's masking rules; they count for events that are written from now on, within 30 seconds",
          params: projectParams,
          body: maskingRulesSchema,
          response: { 200: maskingSchema },
        },
      },
      async (request) => {
        const rules = request.body;
        const { reader, projectId } = await enterProject(query, request, "owner");
        const by = toAuthor(reader);
        maskerOf(rules);
        if (!(await putMasking(query, { projectId, reader, rules, by, at: clock.now() }))) {
          throw projectNotFound();
        }
        log.info({ project: projectId, keys: rules.keys.length, patterns: rules.patterns.length, by }, "a project's masking was changed");
        return present(await findMasking(query, { projectId, reader }));
      },
    );

    server.post(
      "/api/v1/projects/:project_id/masking/try",
      {
        config,
        schema: {
          summary: "What rules make of a sample; nothing is stored",
          params: projectParams,
          body: tryMaskingRequestSchema,
          response: { 200: triedMaskingSchema },
        },
      },
      async (request) => {
        const { sample, ...rules } = request.body;
        await enterProject(query, request, "owner");
        return { masked: maskSample(maskerOf(rules), sample) };
      },
    );
  };
}

function maskerOf(rules: MaskingRules): Masker {
  try {
    return createMasker(rules);
  } catch (error) {
    throw error instanceof PatternError ? badPattern(error) : error;
  }
}

function maskSample(masker: Masker, sample: string): string {
  try {
    return masker.start().text(sample);
  } catch (error) {
    throw error instanceof MaskingError ? sampleTooLong() : error;
  }
}

function present(row: MaskingRow | undefined): Masking {
  if (row === undefined) {
    throw projectNotFound();
  }
  return { ...row, changed_at: row.changed_at?.toISOString() ?? null };
}

const badPattern = ({ index, message }: PatternError) =>
  refusal(400, "invalid_pattern", `Pattern ${index + 1} can't be used: ${message}.`, {
    details: [{ path: `patterns.${index}.expression`, message }],
  });

const sampleTooLong = () => refusal(400, "sample_too_long", "So many patterns can't go through so long a sample. Try a shorter one.");
