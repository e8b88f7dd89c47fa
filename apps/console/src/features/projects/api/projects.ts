import { type CreateProjectRequest, type Project, projectSchema } from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { z } from "zod";
import { PAGE_SIZE, allPages } from "#http/all-pages.ts";
import type { Api } from "#http/api.ts";

const PROJECTS = "/api/v1/projects";
const REFRESH_MS = 10_000;

const projectPageSchema = z.object({ items: z.array(projectSchema), next_cursor: z.string().nullable() });

export function projectsQuery(api: Api) {
  return queryOptions({
    queryKey: ["projects"],
    queryFn: ({ signal }) =>
      allPages((cursor) =>
        api.request({ part: "observability", path: PROJECTS, query: { cursor, limit: PAGE_SIZE }, answer: projectPageSchema, signal }),
      ),
    refetchInterval: REFRESH_MS,
  });
}

export function createProject(api: Api, body: CreateProjectRequest): Promise<Project> {
  return api.request({ part: "observability", method: "POST", path: PROJECTS, body, answer: projectSchema });
}
