import { errorMessage } from "@sightline/foundation/errors";
import { findPlace, type PlaceOptions } from "./ci-place.ts";
import { setStatus, writeComment, type Publication } from "./publish.ts";

export type PublishOptions = PlaceOptions & { readonly comment?: boolean; readonly status?: boolean; readonly console?: string };
type Verdict = Omit<Publication, "secret" | "dataset"> & { readonly dataset: string | undefined };

/** Tells the code host, where that was asked for. What it refuses is said, and changes nothing else: the verdict stands without it. */
export async function publish({ dataset, ...verdict }: Verdict, options: PublishOptions): Promise<void> {
  const tasks = [...(options.status === true ? [setStatus] : []), ...(options.comment === true ? [writeComment] : [])];
  if (tasks.length === 0) {
    return;
  }
  if (dataset === undefined) {
    warn("it is not known of which dataset: name it with --dataset");
    return;
  }
  const publication = { ...verdict, dataset, secret: process.env["OBS_API_KEY"] ?? "" };
  try {
    const place = await findPlace(options, process.env);
    for (const task of tasks) {
      // eslint-disable-next-line no-await-in-loop -- hosts count what comes at once against their limits.
      await task(place, publication).then(tell, warn);
    }
  } catch (error) {
    warn(error);
  }
}

function tell(done: string): void {
  console.log(done);
}

function warn(reason: unknown): void {
  console.error(`The code host was not told: ${typeof reason === "string" ? reason : errorMessage(reason)}`);
}
