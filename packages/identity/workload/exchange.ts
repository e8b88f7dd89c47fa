import { createHash, randomUUID } from "node:crypto";
import { decodeJwt, errors, jwtVerify, SignJWT, type JWTPayload } from "jose";
import { z } from "zod";
import type { Clock } from "@sightline/foundation/clock";
import { orRefuse, refusal } from "@sightline/foundation/errors";
import { WORKLOAD_AUDIENCE, type WorkloadRights } from "@sightline/foundation/http/access-token";
import { LIFETIME } from "@sightline/foundation/http/token-lifetime";
import { appendAudit } from "#audit/audit.store.ts";
import type { Client } from "#audit/client.ts";
import type { SigningKeys } from "#keys/signing-keys.ts";
import type { Queries } from "#schema.ts";
import { signAccessToken } from "#session/access-token.ts";
import { takeOnce } from "#throttle/throttle.store.ts";
import type { createJobKeys } from "./job-keys.ts";
import { findActiveWorkload, noteUsed, type StoredWorkload } from "./workload.store.ts";

type Dependencies = {
  readonly queries: Queries;
  readonly keys: SigningKeys;
  readonly jobKeys: ReturnType<typeof createJobKeys>;
  readonly publicUrl: string;
  readonly clock: Clock;
};

const UNREACHABLE =
  "The issuer of the ID token does not say by which keys it signs. Try again; one in the operator's own network has to stand in IDENTITY_ALLOW_PRIVATE_HOSTS.";
const SECONDS = 900;
const MAX_TOKEN_LENGTH = 16_384;
/** No one secret that both sides know: a public key would be one. */
const ALGORITHMS = ["RS256", "PS256", "ES256", "ES384", "EdDSA"];
/** Longer than an ID token counts: it may be an hour old, by clocks that differ. */
const ONCE_MS = 2_000 * LIFETIME.maxTokenAge;

/** The audience of ID tokens for one rule, which nobody else's rule has. */
export const workloadAudience = (publicUrl: string, id: string) => `${publicUrl}/workloads/${id}`;

const text = z.string().max(500).optional().catch(undefined);
/** A claim that decides: of another form it is refused, and never as if the host had not said it. */
const deciding = z.string().max(500).optional();
/** Claims of GitHub and GitLab about the job. */
const jobSchema = z.object({
  repository: text,
  project_path: text,
  ref: deciding,
  ref_type: deciding,
  head_ref: deciding,
  base_ref: deciding,
  pipeline_source: deciding,
  sha: text,
  actor: text,
  user_login: text,
});

/** Exchanges the ID token of a job for an access token that does what the rule says, for a quarter of an hour. */
export function createExchange({ queries, keys, jobKeys, publicUrl, clock }: Dependencies) {
  async function workloadOf(idToken: string): Promise<StoredWorkload> {
    const [given, ...more]: unknown[] = idToken.length > MAX_TOKEN_LENGTH ? [] : [audienceOf(idToken)].flat();
    const audience = typeof given === "string" ? given : "";
    const id = z.uuid().safeParse(audience.slice(workloadAudience(publicUrl, "").length));
    const isOurs = more.length === 0 && id.success && audience === workloadAudience(publicUrl, id.data);
    return orRefuse(isOurs ? await findActiveWorkload(queries, id.data) : undefined, () =>
      invalid("aud", `its audience has to be the one rule's that your organization trusts it by, ${workloadAudience(publicUrl, "…")}`),
    );
  }

  async function verify({ issuer, subject, ...rule }: StoredWorkload, idToken: string) {
    const { payload } = await jwtVerify(idToken, await jobKeys(issuer).catch(refuse), {
      ...LIFETIME,
      issuer,
      audience: workloadAudience(publicUrl, rule.id),
      algorithms: ALGORITHMS,
      requiredClaims: ["sub", "exp", "iat"],
      currentDate: clock.now(),
    }).catch(refuse);
    const { data: job } = jobSchema.safeParse(payload);
    if (job === undefined) {
      throw invalid("ref", "the names of its branches are no texts of 500 characters at the most");
    }
    if (!fits(subject, payload.sub ?? "")) {
      throw invalid("sub", "it is of another job than the rule's");
    }
    if (rule.branches !== null && (isPull(job) || !fits(rule.branches, branchOf(job) ?? ""))) {
      throw invalid("ref", "it is of another branch than the rule's");
    }
    return { payload, job };
  }

  return async (idToken: string, client: Client): Promise<{ readonly token: string; readonly seconds: number }> => {
    const rule = await workloadOf(idToken);
    const { payload, job } = await verify(rule, idToken);
    const [now, jti] = [clock.now(), randomUUID()];
    const rights: WorkloadRights = {
      repository: rule.repository_id ?? undefined,
      project: rule.project_id ?? undefined,
      scopes: rule.scopes,
      branch: writesTo(job),
    };
    const claims = new SignJWT({ tid: rule.tenant_id, workload: rights }).setSubject(rule.id).setAudience(WORKLOAD_AUDIENCE).setJti(jti);
    const token = await signAccessToken(claims, { keys, issuer: publicUrl }, now, SECONDS);
    const told = {
      workload: rule.id,
      subject: payload.sub,
      repository: job.repository ?? job.project_path,
      ref: job.ref,
      sha: job.sha,
      actor: job.actor ?? job.user_login,
      jti,
    };
    const details = Object.fromEntries(Object.entries(told).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
    await queries.transaction().execute(async (transaction) => {
      if (!(await takeOnce(transaction, nameOf(idToken, payload), new Date(now.getTime() + ONCE_MS)))) {
        throw invalid("jti", "it was exchanged already; each counts once, so have the job ask for another");
      }
      await noteUsed(transaction, rule, now);
      await appendAudit(transaction, { event: "token_issued", at: now, tenantId: rule.tenant_id, client, details });
    });
    return { token, seconds: SECONDS };
  };
}

/** Names a token alike however often it is shown: by its number, or without one by what was signed. */
function nameOf(idToken: string, { iss = "", jti }: JWTPayload): string {
  const name = jti ?? idToken.slice(0, idToken.lastIndexOf("."));
  return `workload-token|${createHash("sha256")
    .update(JSON.stringify([iss, name]))
    .digest("hex")}`;
}

function audienceOf(idToken: string): string | string[] | undefined {
  try {
    return decodeJwt(idToken).aud;
  } catch {
    return undefined;
  }
}

/** One star stands for anything. */
function fits(pattern: string, given: string): boolean {
  const [before = "", after] = pattern.split("*");
  return after === undefined
    ? given === pattern
    : given.length >= before.length + after.length && given.startsWith(before) && given.endsWith(after);
}

type Job = z.output<typeof jobSchema>;

/** Whether it is of a pull or merge request, also one that runs as the branch that it is to be merged to. */
function isPull({ head_ref: head = "", pipeline_source: source }: Job): boolean {
  return head !== "" || source === "merge_request_event";
}

/** A branch's bare name; whatever is none keeps a name that no branch has. A pull request from main to main is a fork's. */
function writesTo(job: Job): string | undefined {
  const { head_ref: head = "", base_ref: base, ref } = job;
  if (head !== "" && head !== base) {
    return head;
  }
  const branch = head === "" ? branchOf(job) : undefined;
  return branch ?? (ref === undefined || ref.startsWith("refs/") ? ref : `refs/tags/${ref}`);
}

/** GitHub names branches in full, and calls what a pull request is merged to a branch, too. */
function branchOf({ ref = "", ref_type: type }: Job): string | undefined {
  return ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : type === "branch" && !ref.startsWith("refs/") ? ref : undefined;
}

function refuse(error: unknown): never {
  if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired) {
    throw invalid(
      error.claim,
      error instanceof errors.JWTExpired ? "it is over, or more than an hour old" : "it is not what the rule says",
    );
  }
  if (error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout) && error.code !== errors.JOSEError.code) {
    throw invalid("signature", "the issuer has signed no such thing, or with a key of the last minute");
  }
  throw refusal(400, "temporarily_unavailable", UNREACHABLE, { cause: error });
}

const invalid = (what: string, why: string) => refusal(400, "invalid_grant", `The job's ID token opens nothing (${what}): ${why}.`);
