import { orRefuse } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import * as contract from "#contract.ts";
import { readCursor, toPage } from "#query/access/cursor.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import { commentNotFound } from "./comments.errors.ts";
import { changeComment, deleteComment, insertComment, listComments, type CommentRow } from "./comments.store.ts";

/** Comments are between people: no key and no assistant reads or writes them. */
const config = { auth: "user" };
const path = "/api/v1/projects/:project_id/comments";
const commentPath = `${path}/:comment_id` as const;
const commentParams = projectParams.extend({ comment_id: z.uuid() });

export function commentRoutes({ query, clock }: Omit<RouteDependencies, "log">) {
  return (server: HttpServer): void => {
    const listed = {
      summary: "Comments on a trace with its steps and scores, a dataset's items or an experiment's runs, the newest first",
    };
    const querystring = contract.listCommentsRequestSchema;
    const listing = { ...listed, params: projectParams, querystring, response: { 200: contract.commentPageSchema } };
    server.get(path, { config, schema: listing }, async (request) => {
      const { cursor, limit, within_id: within } = request.query;
      const after = readCursor(cursor);
      const project = await enterProject(query, request, "viewer");
      const rows = await listComments(query, { ...project, within, after, limit: limit + 1 });
      return toPage(rows, limit, present);
    });

    const written = { summary: "Comment, and tell in the console and by mail whom the text mentions by @ and the id of their account" };
    const body = contract.createCommentRequestSchema;
    const writing = { ...written, params: projectParams, body, response: { 201: contract.commentSchema } };
    server.post(path, { config, schema: writing }, async (request, reply) => {
      const project = await enterProject(query, request, "editor");
      const row = { ...request.body, id: uuidv7(), author: toAuthor(project.reader), created_at: clock.now(), edited_at: null };
      await insertComment(query, { ...project, ...row });
      return reply.status(201).send(present(row));
    });

    const changed = { summary: "Edit a comment of your own", params: commentParams, body: contract.changeCommentRequestSchema };
    server.patch(commentPath, { config, schema: { ...changed, response: { 200: contract.commentSchema } } }, async (request) => {
      const project = await enterProject(query, request, "editor");
      const named = { ...project, id: request.params.comment_id, author: toAuthor(project.reader) };
      return present(await changeComment(query, { ...named, text: request.body.text, at: clock.now() }));
    });

    const deleting = { summary: "Delete a comment: your own, or as an owner any", params: commentParams, response: { 204: z.null() } };
    server.delete(commentPath, { config, schema: deleting }, async (request, reply) => {
      const project = await enterProject(query, request, "editor");
      const named = { ...project, id: request.params.comment_id, author: toAuthor(project.reader) };
      orRefuse((await deleteComment(query, named)) || undefined, commentNotFound);
      return reply.status(204).send(null);
    });
  };
}

function present({ id, subject, within_id, subject_id, text, author, created_at: createdAt, edited_at: editedAt }: CommentRow) {
  const times = { created_at: createdAt.toISOString(), edited_at: editedAt?.toISOString() ?? null };
  return { id, subject, within_id, subject_id, text, author, ...times };
}
