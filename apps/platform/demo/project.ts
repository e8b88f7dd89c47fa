import { z } from "zod";
import type { HttpClient } from "./http-client.ts";

const projectSchema = z.object({ id: z.string(), name: z.string() });
const pageSchema = z.object({ items: z.array(projectSchema) });

const NAME = "Demo";

/** The id of the project that shows the demo's runs, made for everybody of the tenant when there is none. */
export async function ensureDemoProject(observability: HttpClient): Promise<string> {
  const { items } = await observability.get("/api/v1/projects", pageSchema);
  const known = items.find(({ name }) => name === NAME);
  return (known ?? (await observability.post("/api/v1/projects", { name: NAME, access: "tenant" }, projectSchema))).id;
}
