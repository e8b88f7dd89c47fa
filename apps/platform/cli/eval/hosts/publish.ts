import { createHmac } from "node:crypto";
import { errorMessage } from "@sightline/foundation/errors";
import { parseJson } from "@sightline/foundation/parse-json";
import { z } from "zod";
import type { CiPlace } from "./ci-place.ts";
import { CODE_HOSTS, type State } from "./code-hosts.ts";

export type Publication = {
  readonly dataset: string;
  /** Seals the mark by which the comment is found again: nobody else can put it into a comment of theirs first. */
  readonly secret: string;
  readonly state: State;
  readonly title: string;
  readonly text: string;
  readonly link: string | undefined;
};

const TIMEOUT_MS = 20_000;
const MAX_PAGES = 30;

const commentSchema = z.object({
  id: z.number(),
  body: z.string().nullish(),
  content: z.object({ raw: z.string().nullish() }).optional(),
  deleted: z.boolean().optional(),
});
const commentsSchema = z.union([z.array(commentSchema), z.object({ values: z.array(commentSchema) }).transform(({ values }) => values)]);
const refusalSchema = z.looseObject({
  message: z.string().optional(),
  error: z.union([z.string(), z.object({ message: z.string() })]).optional(),
});

/** Writes the comment, or over the one of the push before. @returns what was done, in words. @throws {Error} where the host refuses. */
export async function writeComment(place: CiPlace, publication: Publication): Promise<string> {
  const { pull } = place;
  if (pull === undefined) {
    return "There is no pull request here, so there is no comment; --pull-request names one.";
  }
  const host = CODE_HOSTS[place.host];
  const mark = `[//]: # (sightline-eval ${seal(place, publication, pull)})`;
  const text = `${publication.text}\n\n${mark}\n`;
  const before = await findComment(place, pull, mark);
  const { method, path, body } = before === undefined ? host.add(place, pull, text) : host.change(place, pull, before, text);
  await call(place, method, path, body);
  return `Pull request ${pull} has the ${before === undefined ? "comment" : "comment, changed in its place"}.`;
}

/** Sets the commit's status. @throws {Error} where the host refuses. */
export async function setStatus(place: CiPlace, { state, title, link, dataset, ...publication }: Publication): Promise<string> {
  const key = `sightline-${seal(place, { dataset, ...publication }, "").slice(0, 30)}`;
  const { method, path, body } = CODE_HOSTS[place.host].status(place, {
    state,
    description: title,
    link,
    key,
    name: `sightline/${dataset}`,
  });
  await call(place, method, path, body);
  return `Commit ${place.commit.slice(0, 8)} has the status “${state}”.`;
}

function seal({ repository }: CiPlace, { dataset, secret }: Pick<Publication, "dataset" | "secret">, pull: string): string {
  return createHmac("sha256", secret)
    .update(JSON.stringify([dataset, repository, pull]))
    .digest("hex");
}

async function findComment(place: CiPlace, pull: string, mark: string): Promise<number | undefined> {
  const { comments, hasPages } = CODE_HOSTS[place.host];
  const path = comments(place, pull);
  for (let page = 1; page <= (hasPages ? MAX_PAGES : 1); page += 1) {
    // eslint-disable-next-line no-await-in-loop -- a page says whether there is another.
    const found = commentsSchema.safeParse(await call(place, "GET", hasPages ? `${path}&page=${page}` : path)).data;
    if (found === undefined) {
      throw new Error(`${place.host} answers with no list of comments; is the address of its API right?`);
    }
    const own = found.find(({ body, content, deleted }) => deleted !== true && (body ?? content?.raw ?? "").includes(mark));
    if (own !== undefined || found.length < 100) {
      return own?.id;
    }
  }
  return undefined;
}

async function call({ host, api, token }: CiPlace, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(api + path, {
    method,
    headers: {
      ...CODE_HOSTS[host].headers(token),
      "user-agent": "sightline",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw new Error(`${host} does not answer: ${errorMessage(error)}`, { cause: error });
  });
  const answer = parseJson(await response.text());
  if (!response.ok) {
    const { message, error } = refusalSchema.safeParse(answer).data ?? {};
    const reason = (message ?? (typeof error === "string" ? error : error?.message) ?? "").replaceAll(token, "***").slice(0, 300);
    const hint = [401, 403, 404].includes(response.status) ? "; may its token write there? docs/ci.md says what each host needs" : "";
    throw new Error(`${host} refuses with ${response.status}${reason === "" ? "" : ` (${reason})`}${hint}.`);
  }
  return answer;
}
