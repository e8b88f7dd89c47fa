import type { Clock } from "@sightline/foundation/clock";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import type { Logger } from "@sightline/foundation/log";
import { z } from "zod";
import {
  maskingRulesSchema,
  maskingSchema,
  triedMaskingSchema,
  tryMaskingRequestSchema,
  type Masking,
  type MaskingRules,
} from "#contract.ts";
import { createMasker, MaskingError, PatternError, type Masker } from "#events/masker.ts";
import type { Query } from "#schema.ts";
import { findMasking, putMasking, type MaskingRow } from "#store/masking.store.ts";
import { projectNotFound } from "#query/access/not-found.errors.ts";
import { authorOf, readerOf } from "#query/access/reader-of.ts";
import { requireRole } from "#query/access/require-role.ts";
import { AppError } from "@sightline/foundation/errors";

type MaskingOptions = { readonly query: Query; readonly clock: Clock; readonly log: Logger };

const config = { auth: "user-or-operator" };
const params = z.object({ project_id: z.uuid() });

/** Serves masking rules to owners only, since they reveal what there is to find. */
export function maskingRoutes({ query, clock, log }: MaskingOptions) {
  return (server: HttpServer): void => {
    server.get(
      "/api/v1/projects/:project_id/masking",
      {
        config,
        schema: { summary: "What is masked in a project's events before they are stored", params, response: { 200: maskingSchema } },
      },
      async (request) => {
        const [reader, projectId] = [readerOf(request), request.params.project_id];
        await requireRole(query, { id: projectId, reader, role: "owner" });
        return present(await findMasking(query, { projectId, reader }));
      },
    );

    server.put(
      "/api/v1/projects/:project_id/masking",
      {
        config,
        schema: {
          summary: "Set all of a project's masking rules; they count for events that are written from now on, within 30 seconds",
          params,
          body: maskingRulesSchema,
          response: { 200: maskingSchema },
        },
      },
      async (request) => {
        const [reader, projectId, rules] = [readerOf(request), request.params.project_id, request.body];
        const by = authorOf(reader);
        await requireRole(query, { id: projectId, reader, role: "owner" });
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
          params,
          body: tryMaskingRequestSchema,
          response: { 200: triedMaskingSchema },
        },
      },
      async (request) => {
        const { sample, ...rules } = request.body;
        await requireRole(query, { id: request.params.project_id, reader: readerOf(request), role: "owner" });
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

function badPattern({ index, message }: PatternError): AppError {
  return new AppError({
    code: "invalid_pattern",
    status: 400,
    message: `Pattern ${index + 1} can't be used: ${message}.`,
    details: [{ path: `patterns.${index}.expression`, message }],
  });
}

function sampleTooLong(): AppError {
  return new AppError({
    code: "sample_too_long",
    status: 400,
    message: "So many patterns can't go through so long a sample. Try a shorter one.",
  });
}
