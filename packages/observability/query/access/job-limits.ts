import { refusal } from "@sightline/foundation/errors";
import { getPrincipal } from "@sightline/foundation/http/principal";

type Request = Parameters<typeof getPrincipal>[0];

/** @param branch Whose the thing is; null where it is of all branches. @throws {AppError} 403 `other_branch` to a job of another one */
export function refuseOtherBranch(request: Request, branch: string | null): void {
  const principal = getPrincipal(request);
  if (principal.kind === "project-key" && principal.branch !== undefined && principal.branch !== branch) {
    throw refusal(
      403,
      "other_branch",
      `This job's token is for experiments of the branch ${principal.branch} alone, and for nothing that other branches share.`,
    );
  }
}

/** @throws {AppError} 403 `scope_missing` to a job that may not read traces: what it would write is made of them */
export function refuseBlindJob(request: Request): void {
  const principal = getPrincipal(request);
  if (principal.kind === "project-key" && !principal.canReadTraces) {
    throw refusal(403, "scope_missing", "The rule of this job lacks the scope read; make one that has it.");
  }
}
