import { deletionSchema } from "@sightline/observability/contract";
import { encoded, observability } from "#http/calls.ts";

/** Deletes all traces of a user of the observed application; it is asked for, and goes on in the background. */
export const deleteUser = (projectId: string, userId: string) =>
  observability.delete(encoded`/api/v1/projects/${projectId}/users/${userId}`, { answer: deletionSchema });
