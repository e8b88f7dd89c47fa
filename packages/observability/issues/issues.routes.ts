import { orRefuse, refusal } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { z } from "zod";
import {
  changeIssueRequestSchema,
  issueDetailSchema,
  issuePageSchema,
  issueTracePageSchema,
  listIssuesRequestSchema,
  listRequestSchema,
  mergeIssuesRequestSchema,
  splitIssueRequestSchema,
  type IssueDetail,
} from "#contract.ts";
import { readCursor, toPage } from "#query/access/cursor.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import type { OneInProject } from "#store/reader.ts";
import { changeIssue, mergeIssues } from "./change-issue.store.ts";
import { findFirstCode, listEvidence, listIssueTraces } from "./issue-traces.store.ts";
import { findIssue, listIssues } from "./list-issues.store.ts";
import { presentDetail, presentIssue, presentIssueTrace } from "./present-issue.ts";
import { splitIssue } from "./split-issue.store.ts";

const reading = { auth: "user-or-key" };
const changing = { auth: "user" };
const oneParams = projectParams.extend({ issue_id: z.uuid() });

/** What fails in a project, and what people decide of it. */
export function issueRoutes({ query, clock, log }: RouteDependencies) {
  async function load(chosen: OneInProject): Promise<IssueDetail> {
    const row = orRefuse(await findIssue(query, { ...chosen, now: clock.now() }), issueNotFound);
    return presentDetail(row, await listEvidence(query, chosen), await findFirstCode(query, chosen));
  }

  return (server: HttpServer): void => {
    const path = "/api/v1/projects/:project_id/issues";

    server.get(
      path,
      {
        config: reading,
        schema: {
          summary: "Issues of a project: failing traces by where and how they failed, the last seen or the most frequent first",
          params: projectParams,
          querystring: listIssuesRequestSchema,
          response: { 200: issuePageSchema },
        },
      },
      async (request) => {
        const { state, sort, limit, cursor } = request.query;
        const after = readCursor(cursor);
        const project = await enterProject(query, request, "viewer");
        const rows = await listIssues(query, { ...project, state, sort, after, limit: limit + 1, now: clock.now() });
        return toPage(rows, limit, presentIssue);
      },
    );

    server.get(
      `${path}/:issue_id`,
      {
        config: reading,
        schema: { summary: "An issue with three of its traces as evidence", params: oneParams, response: { 200: issueDetailSchema } },
      },
      async (request) => load({ ...(await enterProject(query, request, "viewer")), id: request.params.issue_id }),
    );

    server.get(
      `${path}/:issue_id/traces`,
      {
        config: reading,
        schema: {
          summary: "The traces that show an issue, the newest first",
          params: oneParams,
          querystring: listRequestSchema,
          response: { 200: issueTracePageSchema },
        },
      },
      async (request) => {
        const { cursor, limit } = request.query;
        const after = readCursor(cursor);
        const chosen = { ...(await enterProject(query, request, "viewer")), id: request.params.issue_id };
        orRefuse(await findIssue(query, { ...chosen, now: clock.now() }), issueNotFound);
        const rows = await listIssueTraces(query, { ...chosen, after, limit: limit + 1 });
        return toPage(
          rows.map((row) => ({ ...row, id: row.trace_id })),
          limit,
          presentIssueTrace,
        );
      },
    );

    server.patch(
      `${path}/:issue_id`,
      {
        config: changing,
        schema: {
          summary: "Ignore, close or open an issue, assign it, or name its place in a tracker",
          params: oneParams,
          body: changeIssueRequestSchema,
          response: { 200: issueDetailSchema },
        },
      },
      async (request) => {
        const { body: change } = request;
        const chosen = { ...(await enterProject(query, request, "editor")), id: request.params.issue_id };
        if (typeof change.ignored_until === "string" && Date.parse(change.ignored_until) <= clock.now().getTime()) {
          throw ignoredUntilPast();
        }
        const author = toAuthor(chosen.reader);
        if (!(await changeIssue(query, { ...chosen, change, author }))) {
          throw issueNotFound();
        }
        log.info({ project: chosen.projectId, issue: chosen.id, state: change.state, by: author }, "an issue was changed");
        return load(chosen);
      },
    );

    server.post(
      `${path}/merge`,
      {
        config: changing,
        schema: {
          summary: "Make several issues one, also for what fails like them from now on",
          params: projectParams,
          body: mergeIssuesRequestSchema,
          response: { 200: issueDetailSchema },
        },
      },
      async (request) => {
        const { into, from } = request.body;
        const project = await enterProject(query, request, "editor");
        if (!(await mergeIssues(query, { ...project, into, from }))) {
          throw issueNotFound();
        }
        log.info({ project: project.projectId, into, from, by: toAuthor(project.reader) }, "issues were merged");
        return load({ ...project, id: into });
      },
    );

    server.post(
      `${path}/:issue_id/split`,
      {
        config: changing,
        schema: {
          summary: "Undo a merge: what fails as a trace of the issue does is an issue of its own again",
          params: oneParams,
          body: splitIssueRequestSchema,
          response: { 200: issueDetailSchema },
        },
      },
      async (request) => {
        const chosen = { ...(await enterProject(query, request, "editor")), id: request.params.issue_id };
        orRefuse(await findIssue(query, { ...chosen, now: clock.now() }), issueNotFound);
        const author = toAuthor(chosen.reader);
        const id = orRefuse(await splitIssue(query, { ...chosen, traceId: request.body.trace_id, author }), nothingToSplit);
        log.info({ project: chosen.projectId, issue: chosen.id, into: id, by: author }, "an issue was split");
        return load({ ...chosen, id });
      },
    );
  };
}

const issueNotFound = () =>
  refusal(404, "issue_not_found", "The project has no such issue, or it was merged or has no trace any more. GET …/issues lists them.");

const nothingToSplit = () =>
  refusal(
    409,
    "nothing_to_split",
    "The issue has no such trace, or it fails as the issue itself does. Only what was merged into an issue can be split off: choose a trace of that.",
  );

const ignoredUntilPast = () =>
  refusal(400, "ignored_until_past", "An issue is ignored until a time to come; leave ignored_until out to ignore it until it is opened.", {
    details: [{ path: "ignored_until", message: "in the past" }],
  });
