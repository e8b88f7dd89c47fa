import { orRefuse } from "@sightline/foundation/errors";
import { fromCursor } from "@sightline/foundation/cursor";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { z } from "zod";
import {
  listPromptsRequestSchema,
  LATEST,
  PRODUCTION,
  promptPageSchema,
  promptSchema,
  promptVersionSchema,
  resolvePromptRequestSchema,
  writePromptRequestSchema,
  writtenPromptSchema,
} from "#contract.ts";
import { cutPage } from "#query/access/cursor.ts";
import { refuseOtherBranch } from "#query/access/job-limits.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import { presentPrompt, presentVersion } from "./present-prompt.ts";
import { labelNotFound, promptInUse, promptNotFound } from "./prompts.errors.ts";
import { deletePrompt, findPrompt, holdPromptOfId, listPrompts } from "./prompts.store.ts";
import { findVersion } from "./versions.store.ts";
import { requireVersion, writePrompt } from "./write-prompt.ts";

const reading = { auth: "user-or-prompts" };
const writing = { auth: "user-or-evaluate" };
export const promptParams = projectParams.extend({ prompt_id: z.uuid() });
/** Of a template of the greatest length whose every character takes the longest form of JSON. */
const BODY_BYTES = 8 * 1024 * 1024;

/** Prompts of a project: which there are, their newest versions, and the one that an application wants. */
export function promptRoutes({ query, clock, log }: RouteDependencies) {
  return (server: HttpServer): void => {
    const path = "/api/v1/projects/:project_id/prompts";

    server.get(
      path,
      {
        config: reading,
        schema: {
          summary: "Prompts of a project by name; also by an API key with the scope prompts",
          params: projectParams,
          querystring: listPromptsRequestSchema,
          response: { 200: promptPageSchema },
        },
      },
      async (request) => {
        const { cursor, limit, name, prefix } = request.query;
        const [after] = cursor === undefined ? [] : fromCursor(cursor, z.tuple([z.string()]));
        const project = await enterProject(query, request, "viewer");
        const rows = await listPrompts(query, { ...project, name, prefix, after, limit: limit + 1 });
        const { shown, next_cursor: next } = cutPage(rows, limit, (row) => [row.name]);
        return { items: shown.map(presentPrompt), next_cursor: next };
      },
    );

    server.post(
      path,
      {
        config: writing,
        bodyLimit: BODY_BYTES,
        schema: {
          summary:
            "Make the next version of a prompt, and the prompt where there is none of that name; none is made where the newest is the same already",
          params: projectParams,
          body: writePromptRequestSchema,
          response: { 200: writtenPromptSchema, 201: writtenPromptSchema },
        },
      },
      async (request, reply) => {
        const project = await enterProject(query, request, "editor");
        const author = toAuthor(project.reader);
        const { promptId, version, isNew } = await writePrompt(query, { ...project, author, now: clock.now() }, request.body);
        const prompt = orRefuse(await findPrompt(query, { ...project, id: promptId }), promptNotFound);
        const row = orRefuse(await findVersion(query, { ...project, promptId, version }), promptNotFound);
        const { name, labels } = request.body;
        log.info({ project: project.projectId, prompt: name, version, isNew, labels, by: author }, "a prompt was written");
        return reply.status(isNew ? 201 : 200).send({ ...presentVersion(prompt, row), is_new: isNew });
      },
    );

    server.get(
      `${path}/resolve`,
      {
        config: reading,
        schema: {
          summary: "The version of a prompt that a label means, production unless another is named, or that is asked for",
          params: projectParams,
          querystring: resolvePromptRequestSchema,
          response: { 200: promptVersionSchema },
        },
      },
      async (request) => {
        const { name, label, version: wanted } = request.query;
        const project = await enterProject(query, request, "viewer");
        const [found] = await listPrompts(query, { ...project, name, prefix: undefined, after: undefined, limit: 1 });
        const prompt = orRefuse(found, promptNotFound);
        const meant = wanted ?? (label === LATEST ? prompt.version : prompt.labels[label]);
        const version = orRefuse(meant, () => labelNotFound(name, label));
        requireVersion(version, prompt.version);
        const row = await findVersion(query, { ...project, promptId: prompt.id, version });
        return presentVersion(prompt, orRefuse(row, promptNotFound));
      },
    );

    server.get(
      `${path}/:prompt_id`,
      { config: reading, schema: { summary: "A prompt and its labels", params: promptParams, response: { 200: promptSchema } } },
      async (request) => {
        const project = await enterProject(query, request, "viewer");
        return presentPrompt(orRefuse(await findPrompt(query, { ...project, id: request.params.prompt_id }), promptNotFound));
      },
    );

    server.delete(
      `${path}/:prompt_id`,
      {
        config: writing,
        schema: {
          summary: "Delete a prompt with its versions; refused while it has the label production",
          params: promptParams,
          response: { 204: z.null() },
        },
      },
      async (request, reply) => {
        const project = await enterProject(query, request, "editor");
        refuseOtherBranch(request, null);
        const chosen = { ...project, id: request.params.prompt_id };
        await query.transaction().execute(async (transaction) => {
          orRefuse(await holdPromptOfId(transaction, chosen), promptNotFound);
          const { name, labels } = orRefuse(await findPrompt(transaction, chosen), promptNotFound);
          if (PRODUCTION in labels) {
            throw promptInUse(name);
          }
          await deletePrompt(transaction, chosen);
        });
        log.info({ project: project.projectId, prompt: chosen.id, by: toAuthor(project.reader) }, "a prompt was deleted");
        return reply.status(204).send(null);
      },
    );
  };
}
