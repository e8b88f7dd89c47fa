import { orRefuse } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import {
  alertEventPageSchema,
  alertRuleListSchema,
  alertRuleSchema,
  changeAlertRuleRequestSchema,
  createAlertRuleRequestSchema,
  filterProblem,
  isToldOnly,
  listAlertEventsRequestSchema,
  thresholdProblem,
  type AlertRule,
} from "#contract.ts";
import { readCursor, toPage } from "#query/access/cursor.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { listAlertChannels } from "./alert-channels.store.ts";
import { listAlertEvents } from "./alert-notifications.store.ts";
import {
  changeAlertRule,
  deleteAlertRule,
  findAlertRule,
  insertAlertRule,
  listAlertRules,
  type AlertRuleRow,
} from "./alert-rules.store.ts";
import type { Reader, OneInProject } from "#store/reader.ts";
import { alertRuleNotFound, invalidAlertRule, tooManyAlertRules } from "./project-alert.errors.ts";

const reading = { auth: "user-or-key" };
const changing = { auth: "user-or-operator" };
const oneParams = projectParams.extend({ rule_id: z.uuid() });

/** Serves the rules of a project and their events. */
export function alertRuleRoutes({ query }: Pick<RouteDependencies, "query">) {
  async function load(chosen: OneInProject): Promise<AlertRuleRow> {
    return orRefuse(await findAlertRule(query, chosen), alertRuleNotFound);
  }

  async function requireChannels(projectId: string, reader: Reader, wanted: readonly string[]): Promise<void> {
    const known = wanted.length === 0 ? [] : await listAlertChannels(query, { projectId, reader });
    if (wanted.some((id) => !known.some((channel) => channel.id === id))) {
      throw invalidAlertRule("channels", "one of its channels is not in this project");
    }
  }

  return (server: HttpServer): void => {
    const path = "/api/v1/projects/:project_id/alert-rules";

    server.get(
      path,
      {
        config: reading,
        schema: { summary: "Alert rules of a project, and their state", params: projectParams, response: { 200: alertRuleListSchema } },
      },
      async (request) => {
        const { reader, projectId } = await enterProject(query, request, "viewer");
        return { items: (await listAlertRules(query, { projectId, reader })).map(present), next_cursor: null };
      },
    );

    server.post(
      path,
      {
        config: changing,
        schema: {
          summary: "Make an alert rule",
          params: projectParams,
          body: createAlertRuleRequestSchema,
          response: { 201: alertRuleSchema },
        },
      },
      async (request, reply) => {
        const { channels, ...fields } = request.body;
        const { reader, projectId } = await enterProject(query, request, "editor");
        const id = uuidv7();
        await requireChannels(projectId, reader, channels);
        if (!(await insertAlertRule(query, { ...fields, channel_ids: channels, projectId, reader, id, author: toAuthor(reader) }))) {
          throw tooManyAlertRules();
        }
        return reply.status(201).send(present(await load({ projectId, reader, id })));
      },
    );

    server.patch(
      `${path}/:rule_id`,
      {
        config: changing,
        schema: {
          summary: "Change an alert rule, or switch it on or off",
          params: oneParams,
          body: changeAlertRuleRequestSchema,
          response: { 200: alertRuleSchema },
        },
      },
      async (request) => {
        const chosen = { ...(await enterProject(query, request, "editor")), id: request.params.rule_id };
        const known = await load(chosen);
        const { channels, ...fields } = request.body;
        const metric = fields.metric ?? known.metric;
        refuseIf("filter", filterProblem(metric, fields.filter ?? known.filter));
        refuseIf("threshold", thresholdProblem(metric, fields.threshold ?? known.threshold));
        await requireChannels(chosen.projectId, chosen.reader, channels ?? []);
        const given = Object.entries({ ...fields, channel_ids: channels }).filter(([, value]) => value !== undefined);
        await changeAlertRule(query, { ...chosen, author: toAuthor(chosen.reader) }, Object.fromEntries(given));
        return present(await load(chosen));
      },
    );

    server.delete(
      `${path}/:rule_id`,
      { config: changing, schema: { summary: "Delete an alert rule; what it told stays", params: oneParams, response: { 204: z.null() } } },
      async (request, reply) => {
        const chosen = { ...(await enterProject(query, request, "editor")), id: request.params.rule_id };
        if (!(await deleteAlertRule(query, chosen))) {
          throw alertRuleNotFound();
        }
        return reply.status(204).send(null);
      },
    );

    server.get(
      "/api/v1/projects/:project_id/alert-events",
      {
        config: reading,
        schema: {
          summary: "When alert rules of a project fired and resolved, and who was told; newest first, of 90 days",
          params: projectParams,
          querystring: listAlertEventsRequestSchema,
          response: { 200: alertEventPageSchema },
        },
      },
      async (request) => {
        const { cursor, limit, rule_id: ruleId } = request.query;
        const { reader, projectId } = await enterProject(query, request, "viewer");
        const rows = await listAlertEvents(query, { projectId, reader, ruleId, after: readCursor(cursor), limit: limit + 1 });
        return toPage(rows, limit, (row) => ({ ...row, at: row.at.toISOString() }));
      },
    );
  };
}

function refuseIf(field: "filter" | "threshold", problem: string | undefined): void {
  if (problem !== undefined) {
    throw invalidAlertRule(field, problem);
  }
}

function present(row: AlertRuleRow): AlertRule {
  const isUnknown = !row.is_enabled || (row.evaluated_at === null && !isToldOnly(row.metric)) || row.problem !== null;
  return {
    id: row.id,
    name: row.name,
    metric: row.metric,
    threshold: row.threshold,
    window_minutes: row.window_minutes,
    filter: row.filter,
    channels: row.channel_ids,
    is_enabled: row.is_enabled,
    state: isUnknown ? "unknown" : row.is_firing ? "firing" : "ok",
    since: row.since?.toISOString() ?? null,
    last_value: row.last_value,
    evaluated_at: row.evaluated_at?.toISOString() ?? null,
    problem: row.problem,
    changed_at: row.changed_at.toISOString(),
  };
}
