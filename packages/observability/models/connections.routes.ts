import { orRefuse, refusal } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { SealError } from "@sightline/foundation/secrets/sealing";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import {
  createModelConnectionRequestSchema,
  modelConnectionListSchema,
  modelConnectionSchema,
  PROVIDER_URLS,
  testedModelConnectionSchema,
  testModelConnectionRequestSchema,
  type ModelConnection,
} from "#contract.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import type { Reader } from "#store/reader.ts";
import { askModel } from "./ask-model.ts";
import { addressByAdmins, addressNotPlain, connectionNotFound, connectionNotMade } from "./connections.errors.ts";
import { deleteConnection, findConnection, insertConnection, listConnections, type ConnectionRow } from "./connections.store.ts";
import type { ModelAccess } from "./model-access.ts";

const changing = { auth: "user-or-operator" };
const path = "/api/v1/projects/:project_id/model-connections";
const oneParams = projectParams.extend({ connection_id: z.uuid() });

const TEST_LIMIT_MS = 30_000;
const TEST_TOKENS = 500;

/** Connections of a project to models. Their keys come in and never out. */
export function modelConnectionRoutes({ query, clock, log, access }: RouteDependencies & { readonly access: ModelAccess }) {
  return (server: HttpServer): void => {
    server.get(
      path,
      {
        config: { auth: "user-or-key" },
        schema: {
          summary: "Connections of a project to models, without their keys",
          params: projectParams,
          response: { 200: modelConnectionListSchema },
        },
      },
      async (request) => ({
        items: (await listConnections(query, await enterProject(query, request, "viewer"))).map(present),
        next_cursor: null,
      }),
    );

    server.post(
      path,
      {
        config: changing,
        schema: {
          summary: "Connect to a model's provider; another address than its own is entered by admins",
          params: projectParams,
          body: createModelConnectionRequestSchema,
          response: { 201: modelConnectionSchema },
        },
      },
      async (request, reply) => {
        const project = await enterProject(query, request, "owner");
        const { name, provider, base_url: given, key } = request.body;
        const baseUrl = (given ?? PROVIDER_URLS[provider]).replace(/\/+$/, "");
        if (baseUrl !== PROVIDER_URLS[provider] && !mayEnterAddress(project.reader)) {
          throw addressByAdmins();
        }
        requirePlainAddress(baseUrl);
        const id = uuidv7();
        const sealed = key === null ? null : seal(access, id, key);
        const author = toAuthor(project.reader);
        if (!(await insertConnection(query, { ...project, id, name, provider, base_url: baseUrl, sealed_key: sealed, author }))) {
          throw connectionNotMade(name);
        }
        log.info({ project: project.projectId, connection: id, by: author }, "a connection to a model was made");
        return reply.status(201).send(present(orRefuse(await findConnection(query, { ...project, id }), connectionNotFound)));
      },
    );

    server.delete(
      `${path}/:connection_id`,
      {
        config: changing,
        schema: {
          summary: "Delete a connection and its key; evaluators that use it judge nothing until they have another",
          params: oneParams,
          response: { 204: z.null() },
        },
      },
      async (request, reply) => {
        const project = await enterProject(query, request, "owner");
        const { connection_id: id } = request.params;
        orRefuse((await deleteConnection(query, { ...project, id })) || undefined, connectionNotFound);
        log.info({ project: project.projectId, connection: id, by: toAuthor(project.reader) }, "a connection to a model was deleted");
        return reply.status(204).send(null);
      },
    );

    server.post(
      `${path}/:connection_id/test`,
      {
        config: changing,
        schema: {
          summary: "Ask a model one short question now, and say what is wrong",
          params: oneParams,
          body: testModelConnectionRequestSchema,
          response: { 200: testedModelConnectionSchema },
        },
      },
      async (request) => {
        const project = await enterProject(query, request, "editor");
        const connection = orRefuse(await findConnection(query, { ...project, id: request.params.connection_id }), connectionNotFound);
        const answer = await askModel({
          open: () => access.open(connection, request.body.model),
          system: "You are asked whether you work. Answer in the structure that is asked for.",
          prompt: "Answer with works: true.",
          schema: z.object({ works: z.boolean() }),
          temperature: null,
          maxTokens: TEST_TOKENS,
          signal: AbortSignal.timeout(TEST_LIMIT_MS),
          now: clock.now,
        });
        return "failure" in answer ? { works: false, problem: answer.failure.problem } : { works: true, problem: null };
      },
    );
  };
}

function present({ project_id: _project, sealed_key: sealed, created_at: createdAt, ...row }: ConnectionRow): ModelConnection {
  return { ...row, has_key: sealed !== null, created_at: createdAt.toISOString() };
}

const mayEnterAddress = (reader: Reader) => reader.kind === "operator" || (reader.kind === "user" && reader.isAdmin);

function requirePlainAddress(address: string): void {
  const { username, password, search, hash } = new URL(address);
  if ([username, password, search, hash].some((part) => part !== "")) {
    throw addressNotPlain();
  }
}

function seal(access: ModelAccess, id: string, key: string): string {
  try {
    return access.seal(id, key);
  } catch (error) {
    throw error instanceof SealError ? refusal(409, "encryption_keys_missing", error.message, { cause: error }) : error;
  }
}
