import { orRefuse } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import {
  promptSchema,
  promptUsageListSchema,
  promptUsageRequestSchema,
  promptVersionPageSchema,
  putPromptLabelRequestSchema,
} from "#contract.ts";
import { refuseOtherBranch } from "#query/access/job-limits.ts";
import { enterProject, type RouteDependencies } from "#query/access/project-route.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import { presentPrompt, presentSummary } from "./present-prompt.ts";
import { labelMoved, promptNotFound } from "./prompts.errors.ts";
import { promptParams } from "./prompts.routes.ts";
import { findPrompt, holdPromptOfId, writeLabel } from "./prompts.store.ts";
import { listUsage } from "./usage.store.ts";
import { listVersions } from "./versions.store.ts";
import { requireLabels, requireVersion } from "./write-prompt.ts";

/** Versions of one prompt, the labels on them, and how they were used. */
export function promptVersionRoutes({ query, clock, log }: RouteDependencies) {
  return (server: HttpServer): void => {
    const path = "/api/v1/projects/:project_id/prompts/:prompt_id";

    server.get(
      `${path}/versions`,
      {
        config: { auth: "user-or-prompts" },
        schema: {
          summary: "Versions of a prompt, newest first, without their text",
          params: promptParams,
          response: { 200: promptVersionPageSchema },
        },
      },
      async (request) => {
        const project = await enterProject(query, request, "viewer");
        const promptId = request.params.prompt_id;
        const prompt = orRefuse(await findPrompt(query, { ...project, id: promptId }), promptNotFound);
        const rows = await listVersions(query, { ...project, promptId });
        return { items: rows.map((row) => presentSummary(prompt, row)), next_cursor: null };
      },
    );

    server.put(
      `${path}/labels`,
      {
        config: { auth: "user-or-evaluate" },
        schema: {
          summary: "Move a label to a version, or take it away; production only by owners, and by API keys with the scope production",
          params: promptParams,
          body: putPromptLabelRequestSchema,
          response: { 200: promptSchema },
        },
      },
      async (request) => {
        const project = await enterProject(query, request, "editor");
        refuseOtherBranch(request, null);
        const { label, version, expected } = request.body;
        const { id, author } = { id: request.params.prompt_id, author: toAuthor(project.reader) };
        await requireLabels(query, project, [label]);
        await query.transaction().execute(async (transaction) => {
          const { version: newest } = orRefuse(await holdPromptOfId(transaction, { ...project, id }), promptNotFound);
          requireVersion(version ?? newest, newest);
          const { labels } = orRefuse(await findPrompt(transaction, { ...project, id }), promptNotFound);
          const meant = labels[label] ?? null;
          if (expected !== undefined && expected !== meant) {
            throw labelMoved(label, meant);
          }
          await writeLabel(transaction, { projectId: project.projectId, promptId: id, label, version, author, now: clock.now() });
        });
        log.info({ project: project.projectId, prompt: id, label, version, by: author }, "a label of a prompt was moved");
        return presentPrompt(orRefuse(await findPrompt(query, { ...project, id }), promptNotFound));
      },
    );

    server.get(
      `${path}/usage`,
      {
        config: { auth: "user" },
        schema: {
          summary: "What model calls that were made with each version did: how many, how they scored, what they cost",
          params: promptParams,
          querystring: promptUsageRequestSchema,
          response: { 200: promptUsageListSchema },
        },
      },
      async (request) => {
        const project = await enterProject(query, request, "viewer");
        const prompt = orRefuse(await findPrompt(query, { ...project, id: request.params.prompt_id }), promptNotFound);
        const since = new Date(clock.now().getTime() - request.query.days * 86_400_000);
        return { items: [...(await listUsage(query, { projectId: project.projectId, prompt, since }))], next_cursor: null };
      },
    );
  };
}
