import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { AppError, refusal } from "@sightline/foundation/errors";
import type { Clock } from "@sightline/foundation/clock";
import type { Logger } from "@sightline/foundation/log";
import { getJobsOfAnybody, type JobRow } from "#store/records/jobs.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { presentJob } from "#http/kit/presenters.ts";

type EventDependencies = { readonly database: CodeIndexDatabase; readonly clock: Clock; readonly log: Logger };

type Opening = {
  readonly tenantId: string;
  readonly job: JobRow;
  /** `Last-Event-ID` of a client that reconnects: it has that state already. */
  readonly lastEventId: string | undefined;
  /** Throws an `AppError` when who asked may not see the job any more. */
  readonly check: () => Promise<void>;
};

export type JobEvents = {
  /**
   * Server-sent events with a job's state, at once and whenever it changes; ends after the final one.
   * `undefined` when the client has the final state already, which is to be answered with 204: it stops asking then.
   *
   * @throws {AppError} `too_many_streams` (429), `not_ready` (503).
   */
  readonly open: (opening: Opening) => Readable | undefined;
  /** Ends all streams; clients come back to another process. */
  readonly stop: () => void;
};

/** Pause between two reads of all watched jobs, which are one statement for the process. */
const POLL_MS = 500;
/** Keep-alives are sent more often than proxies close silent streams. */
const BEAT_MS = 15_000;
const CHECK_MS = 30_000;
const STREAMS_OF_TENANT = 50;
/** Most bytes that wait for a client that does not read. */
const BACKLOG = 65_536;

type Watcher = Opening & {
  readonly stream: Readable;
  sentId: string | undefined;
  beatAt: number;
  checkedAt: number;
  isChecking: boolean;
};

export function createJobEvents({ database, clock, log }: EventDependencies): JobEvents {
  const watchers = new Set<Watcher>();
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function pollJobs(): Promise<void> {
    try {
      const jobs = await getJobsOfAnybody(database, [...new Set(Array.from(watchers, ({ job }) => job.job_id))]);
      const byId = new Map(jobs.map((job) => [job.job_id, job]));
      for (const watcher of watchers) {
        show(watcher, byId.get(watcher.job.job_id));
      }
    } catch (error) {
      log.warn({ err: error }, "the jobs that are watched could not be read, trying again");
    }
    const now = clock.now().getTime();
    for (const watcher of watchers) {
      beat(watcher, now);
    }
    timer = watchers.size === 0 || isStopped ? undefined : setTimeout(() => void pollJobs(), POLL_MS);
  }

  function beat(watcher: Watcher, now: number): void {
    if (now - watcher.beatAt >= BEAT_MS && watcher.stream.readableLength === 0) {
      watcher.beatAt = now;
      watcher.stream.push(": alive\n\n");
    }
    if (now - watcher.checkedAt >= CHECK_MS && !watcher.isChecking) {
      watcher.checkedAt = now;
      watcher.isChecking = true;
      void recheck(watcher);
    }
  }

  async function recheck(watcher: Watcher): Promise<void> {
    try {
      await watcher.check();
    } catch (error) {
      if (error instanceof AppError) {
        end(watcher, eventOf("refused", error.toBody()));
      } else {
        log.warn({ err: error }, "whether a job may still be watched could not be checked, trying again");
      }
    }
    watcher.isChecking = false;
  }

  function end(watcher: Watcher, last = ""): void {
    if (watchers.delete(watcher)) {
      watcher.stream.push(last);
      watcher.stream.push(null);
    }
  }

  /** A state that a slow client can't take is dropped: the next poll sends it the newest one. */
  function show(watcher: Watcher, job: JobRow | undefined): void {
    if (job === undefined) {
      end(watcher, eventOf("refused", { error: "job_not_found", message: "The job is gone, as is its repository." }));
      return;
    }
    const { id, text } = eventOfState(job);
    if (id !== watcher.sentId && watcher.stream.readableLength < BACKLOG) {
      watcher.sentId = id;
      watcher.stream.push(text);
    }
    if (hasEnded(job) && id === watcher.sentId) {
      end(watcher);
    }
  }

  return {
    open: (opening) => {
      if (isStopped) {
        throw refusal(503, "not_ready", "The server is stopping; try again.");
      }
      if (hasEnded(opening.job) && eventOfState(opening.job).id === opening.lastEventId) {
        return undefined;
      }
      if (Array.from(watchers).filter(({ tenantId }) => tenantId === opening.tenantId).length >= STREAMS_OF_TENANT) {
        throw refusal(
          429,
          "too_many_streams",
          `At most ${STREAMS_OF_TENANT} jobs are watched at once; close some, or ask GET /api/v1/jobs now and again.`,
          { headers: { "retry-after": "10" } },
        );
      }
      const now = clock.now().getTime();
      const stream = new Readable({ read: () => undefined });
      const watcher = { ...opening, stream, sentId: opening.lastEventId, beatAt: now, checkedAt: now, isChecking: false };
      watchers.add(watcher);
      stream.on("close", () => watchers.delete(watcher));
      stream.push("retry: 2000\n\n");
      show(watcher, opening.job);
      timer ??= setTimeout(() => void pollJobs(), POLL_MS);
      return stream;
    },
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
      for (const watcher of watchers) {
        end(watcher);
      }
    },
  };
}

function hasEnded({ status }: JobRow): boolean {
  return status !== "queued" && status !== "running";
}

/** The event of a job's state; its id is a digest of the state, so that all replicas give it the same one. */
function eventOfState(row: JobRow): { readonly id: string; readonly text: string } {
  const job = presentJob(row);
  const id = createHash("sha256").update(JSON.stringify(job)).digest("base64url").slice(0, 16);
  return { id, text: `id: ${id}\n${eventOf("job", job)}` };
}

function eventOf(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
