import {
  type ChangeProjectRequest,
  type CreateProjectRequest,
  type Project,
  projectPageSchema,
  projectSchema,
} from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { encoded, observability } from "#http/calls.ts";
import { readAllPages, answerTo } from "#http/queries.ts";

const PROJECTS = "/api/v1/projects";
const REFRESH_MS = 10_000;
/** Somebody may sit before the first trace that is yet to come. */
const FIRST_TRACE_MS = 2_500;
const pathOf = (projectId: string) => PROJECTS + encoded`/${projectId}`;

const allProjects = readAllPages(observability.get(PROJECTS, { answer: projectPageSchema }));

export const projectsQuery = queryOptions({
  queryKey: ["projects"],
  queryFn: allProjects,
  refetchInterval: ({ state }) => (isWaiting(state.data ?? []) ? FIRST_TRACE_MS : REFRESH_MS),
});

export function projectQuery(projectId: string) {
  const queryFn = answerTo(observability.get(pathOf(projectId), { answer: projectSchema }));
  return queryOptions({
    queryKey: ["projects", projectId],
    queryFn,
    refetchInterval: ({ state }) => (state.data?.last_trace_at === null ? FIRST_TRACE_MS : false),
  });
}

export const createProject = (body: CreateProjectRequest) => observability.post(PROJECTS, { body, answer: projectSchema });

export const changeProject = (projectId: string, body: ChangeProjectRequest) =>
  observability.patch(pathOf(projectId), { body, answer: projectSchema });

export const deleteProject = (projectId: string) => observability.delete(pathOf(projectId));

function isWaiting(projects: readonly Project[]): boolean {
  return projects.length > 0 && projects.every(({ last_trace_at: last }) => last === null);
}
