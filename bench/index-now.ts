import { setTimeout as delay } from "node:timers/promises";
import type { Call } from "#product.ts";

type Job = {
  readonly job_id: string;
  readonly status: string;
  readonly error_message: string | null;
  readonly started_at: string;
  readonly completed_at: string;
};

/** Asks for a job and waits for its end. Answers the seconds from its start to its end; an error when it did not succeed. */
export async function indexNow(call: Call, repoId: string, mode: "full" | "incremental"): Promise<number> {
  const { job } = await call<{ job: Job }>(`/repos/${repoId}/index`, { mode });
  for (;;) {
    const now = await call<Job>(`/jobs/${job.job_id}`);
    if (now.status === "succeeded") {
      return (new Date(now.completed_at).getTime() - new Date(now.started_at).getTime()) / 1000;
    }
    if (now.status === "failed" || now.status === "cancelled") {
      throw new Error(now.error_message ?? now.status);
    }
    await delay(100);
  }
}
