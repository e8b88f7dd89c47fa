import { readFile } from "node:fs/promises";
import { errorMessage } from "@sightline/foundation/errors";
import { parseJson } from "@sightline/foundation/parse-json";
import { z } from "zod";
import { UsageError } from "#settings/failure.ts";

const TIMEOUT_MS = 30_000;
const RULE = /\/workloads\/[\da-f-]{36}$/;
/** A projected file of a pod. */
const POD_FILE = "/var/run/secrets/sightline/token";

/**
 * An access token of a quarter of an hour for the CI job or pod that runs this, by what its host says of it: no secret is stored. Undefined
 * where SIGHTLINE_WORKLOAD, the audience of the rule that an admin made, is not set.
 *
 * @throws {UsageError} where it is no such audience, or nothing says which job this is.
 */
export async function exchangeJobToken(): Promise<string | undefined> {
  const audience = process.env["SIGHTLINE_WORKLOAD"]?.trim() ?? "";
  if (audience === "") {
    return undefined;
  }
  if (!URL.canParse(audience) || !RULE.test(audience)) {
    throw new UsageError("SIGHTLINE_WORKLOAD is no rule's audience: copy that of the rule, https://…/workloads/…");
  }
  const body = new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    client_id: "sightline-workload",
    subject_token: await readIdToken(audience),
    subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
  });
  const answer = await ask(audience.replace(RULE, "/api/identity/oauth/token"), { method: "POST", body });
  const { access_token: token, error_description: why } = exchangedSchema.parse(answer);
  if (token === undefined) {
    throw new Error(`Sightline does not let this job in. ${why ?? "Is SIGHTLINE_WORKLOAD the audience of your rule?"}`);
  }
  return token;
}

const exchangedSchema = z
  .object({ access_token: z.string().optional(), error_description: z.string().optional() })
  .catch({ access_token: undefined, error_description: undefined });

/** GitLab gives it, GitHub is asked for it, and Kubernetes mounts it. */
async function readIdToken(audience: string): Promise<string> {
  const {
    SIGHTLINE_ID_TOKEN: given = "",
    ACTIONS_ID_TOKEN_REQUEST_URL: url = "",
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: token = "",
    SIGHTLINE_ID_TOKEN_FILE: file = POD_FILE,
  } = process.env;
  if (given !== "") {
    return given.trim();
  }
  if (url !== "" && token !== "") {
    const headers = { authorization: `Bearer ${token}` };
    const { data } = z.object({ value: z.string() }).safeParse(await ask(`${url}&audience=${encodeURIComponent(audience)}`, { headers }));
    if (data === undefined) {
      throw new Error("GitHub gives this job no ID token; try again.");
    }
    return data.value;
  }
  const mounted = await readFile(file, "utf8").catch(() => undefined);
  if (mounted === undefined) {
    throw new UsageError(
      `SIGHTLINE_WORKLOAD is set, but nothing says which job this is. On GitHub give the job "permissions: { id-token: write }"; on GitLab "id_tokens: { SIGHTLINE_ID_TOKEN: { aud: ${audience} } }"; on Kubernetes mount a service account token of that audience at ${file}, or name its place in SIGHTLINE_ID_TOKEN_FILE.`,
    );
  }
  return mounted.trim();
}

async function ask(url: string, request: RequestInit): Promise<unknown> {
  try {
    const answer = await fetch(url, { ...request, redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) });
    return parseJson(await answer.text());
  } catch (error) {
    throw new Error(`${new URL(url).origin} does not answer: ${errorMessage(error)}`, { cause: error });
  }
}
