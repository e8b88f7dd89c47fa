import { type WorkloadRequest, workloadSchema, workloadsSchema } from "@sightline/identity/contract";
import { queryOptions } from "@tanstack/react-query";
import { encoded, identity } from "#http/calls.ts";
import { answerTo } from "#http/queries.ts";

/** Jobs that the organization trusts; for admins. */
export const workloadsQuery = queryOptions({
  queryKey: ["workloads"],
  queryFn: answerTo(identity.get("/admin/workloads", { answer: workloadsSchema.transform(({ workloads }) => workloads) })),
});

export const trustJobs = (body: WorkloadRequest) => identity.post("/admin/workloads", { body, answer: workloadSchema });
export const distrustJobs = (id: string) => identity.delete(encoded`/admin/workloads/${id}`);
