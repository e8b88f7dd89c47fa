import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "@sightline/foundation/clock";
import { createEachOwner } from "@sightline/foundation/each-owner";
import { errorMessage } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import { createAlarm, inRounds, repeat, type WakenBy } from "@sightline/foundation/repeat";
import { v7 as uuidv7 } from "uuid";
import type { ModelAccess } from "#models/model-access.ts";
import type { StreamPublisher } from "#otlp/stream-publisher.ts";
import type { Query } from "#schema.ts";
import { chooseAmongMarked, findMarkedProjects } from "./choose-traces.store.ts";
import { calibrate } from "./calibrate.ts";
import { takeUncalibrated } from "./calibration.store.ts";
import { judgeClaimed, type JudgingOptions } from "./judge-claimed.ts";
import { claimJudgement, listDueProjects, NOBODY, type Claimed } from "./judgements.store.ts";
import { TraceNotTaken } from "./settle-try.ts";

type Options = {
  readonly query: Query;
  readonly log: Logger;
  readonly clock: Clock;
  readonly access: ModelAccess;
  readonly publisher: Pick<StreamPublisher, "publish">;
  /** Asks a model of an item, as the playground does over a dataset. @throws {TraceNotTaken} and what the database does. */
  readonly runItem: (options: JudgingOptions, held: Claimed, stopping: AbortSignal) => Promise<void>;
  /** Wakes when there may be something to judge by way of this process. */
  readonly wakenBy?: WakenBy;
  readonly tuning?: Partial<JudgeTuning>;
};

export type JudgeTuning = {
  /** Calls of this process at once, and those of one project. Half are for projects that have none yet: slow models of a few hold up no other. */
  readonly calls: number;
  readonly callsOfProject: number;
  /** Longer than a call takes at the most, and what is written of it. */
  readonly leaseSeconds: number;
  /** After the first try that failed; then twice as long. */
  readonly firstRetryMs: number;
};

const TUNING: JudgeTuning = { calls: 16, callsOfProject: 4, leaseSeconds: 150, firstRetryMs: 5_000 };
const EVERY_MS = 1_000;
const REST_MS = 10_000;
/** How often it is looked for projects that have something to judge, while others are busy; it takes at most a twentieth of the time. */
const LISTING_MS = 1_000;
/** Choosing takes at most this share of the time. */
const CHOOSING_SHARE = 1 / 10;
/** While the event stream takes no traces, nothing is asked. */
const STREAM_REST_MS = 30_000;

/** Chooses live traces to be judged, and judges what was chosen. Any number of replicas may do it; each trace goes to one of them. */
export function createJudgeTasks({ query, log, clock, access, publisher, runItem, wakenBy = () => undefined, tuning }: Options) {
  const { calls, callsOfProject, leaseSeconds, firstRetryMs } = { ...TUNING, ...tuning };
  const chosen = createAlarm();
  const eachProject = createEachOwner({ log, clock, name: "choosing traces of a project to be judged" });
  let restsUntil = 0;

  const chooseDue = (stopping = new AbortController().signal) =>
    inRounds(async () => {
      const projects = await findMarkedProjects(query);
      let isMore = false;
      await eachProject(projects, {
        idOf: (id) => id,
        work: async (id) => {
          isMore = (await chooseAmongMarked(query, id, clock.now())) || isMore;
        },
        signal: stopping,
      });
      if (projects.length > 0) {
        chosen.ring();
      }
      return isMore;
    }, stopping);

  const calibrateDue = (stopping = new AbortController().signal) =>
    inRounds(async () => {
      const taken = await takeUncalibrated(query);
      await (taken && calibrate(query, { projectId: taken.project_id, reader: { kind: "operator" }, id: taken.id }));
      return taken !== undefined;
    }, stopping);

  async function judgeDue(stopping = new AbortController().signal): Promise<false | undefined> {
    const running = new Map<Promise<void>, string>();
    const runsOf = (projectId: string) => [...running.values()].filter((each) => each === projectId).length;
    let found: false | undefined = false;
    const start = (held: Claimed) => {
      const run = judge(held, stopping).finally(() => running.delete(run));
      running.set(run, held.project_id);
    };
    let due: readonly string[] = [];
    let listsAt = -Infinity;
    while (!stopping.aborted && clock.now().getTime() >= restsUntil) {
      if (running.size === 0 || performance.now() >= listsAt) {
        const startedAt = performance.now();
        due = await listDueProjects(query);
        listsAt = startedAt + Math.max(LISTING_MS, 20 * (performance.now() - startedAt));
      }
      for (const projectId of due) {
        while (running.size < (runsOf(projectId) === 0 ? calls : calls / 2) && runsOf(projectId) < callsOfProject) {
          const held = await claimJudgement(query, { projectId, claim: uuidv7(), leaseSeconds });
          if (held === undefined) {
            break;
          }
          start(held);
        }
      }
      if (running.size === 0) {
        break;
      }
      found = undefined;
      // There may be something of others to begin before one of these ends.
      await Promise.race([...running.keys(), pause(LISTING_MS)]);
    }
    await Promise.all(running.keys());
    return found;
  }

  /** What fails here is tried again once the lease is over. */
  async function judge(held: Claimed, stopping: AbortSignal): Promise<void> {
    try {
      const work = held.evaluator_id === NOBODY ? runItem : judgeClaimed;
      await work({ query, access, publisher, now: clock.now, firstRetryMs }, held, stopping);
    } catch (error) {
      restsUntil = error instanceof TraceNotTaken ? clock.now().getTime() + STREAM_REST_MS : restsUntil;
      log.warn(
        { reason: errorMessage(error), project: held.project_id, rule: held.rule_id },
        "something could not be judged; it is tried again",
      );
    }
  }

  return {
    chooseDue,
    judgeDue,
    calibrateDue,
    ...repeat({
      log,
      tasks: [
        { name: "choosing traces to be judged", everyMs: EVERY_MS, restMs: REST_MS, share: CHOOSING_SHARE, wakenBy, run: chooseDue },
        { name: "comparing judges with people", everyMs: REST_MS, share: CHOOSING_SHARE, run: calibrateDue },
        {
          name: "judging",
          everyMs: EVERY_MS,
          restMs: REST_MS,
          wakenBy: (wake) => [wakenBy, chosen.wakenBy].forEach((by) => by(wake)),
          run: judgeDue,
        },
      ],
    }),
  };
}
