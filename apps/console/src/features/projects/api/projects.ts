import {
  type ChangeProjectRequest,
  type CreateProjectRequest,
  type Project,
  projectPageSchema,
  projectSchema,
} from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { z } from "zod";
import { PAGE_SIZE, allPages } from "#http/all-pages.ts";
import type { Api } from "#http/api.ts";

const PROJECTS = "/api/v1/projects";
const REFRESH_MS = 10_000;
/** Somebody may sit before the first trace that is yet to come. */
const FIRST_TRACE_MS = 2_500;

export function pathOf(projectId: string): string {
  return `${PROJECTS}/${encodeURIComponent(projectId)}`;
}

export function projectsQuery(api: Api) {
  return queryOptions({
    queryKey: ["projects"],
    queryFn: ({ signal }) =>
      allPages((cursor) =>
        api.request({ part: "observability", path: PROJECTS, query: { cursor, limit: PAGE_SIZE }, answer: projectPageSchema, signal }),
      ),
    refetchInterval: ({ state }) => (isWaiting(state.data ?? []) ? FIRST_TRACE_MS : REFRESH_MS),
  });
}

export function projectQuery(api: Api, projectId: string) {
  return queryOptions({
    queryKey: ["projects", projectId],
    queryFn: ({ signal }) => api.request({ part: "observability", path: pathOf(projectId), answer: projectSchema, signal }),
  });
}

export function createProject(api: Api, body: CreateProjectRequest): Promise<Project> {
  return api.request({ part: "observability", method: "POST", path: PROJECTS, body, answer: projectSchema });
}

export function changeProject(api: Api, projectId: string, body: ChangeProjectRequest): Promise<Project> {
  return api.request({ part: "observability", method: "PATCH", path: pathOf(projectId), body, answer: projectSchema });
}

export async function deleteProject(api: Api, projectId: string): Promise<void> {
  await api.request({ part: "observability", method: "DELETE", path: pathOf(projectId), answer: z.unknown() });
}

/** For the very first trace. */
function isWaiting(projects: readonly Project[]): boolean {
  return projects.length > 0 && projects.every(({ last_trace_at: last }) => last === null);
}
