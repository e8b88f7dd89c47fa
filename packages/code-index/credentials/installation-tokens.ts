import { parseJson } from "@sightline/foundation/parse-json";
import { createPrivateKey } from "node:crypto";
import type { Clock } from "@sightline/foundation/clock";
import { errorMessage } from "@sightline/foundation/errors";
import { SignJWT } from "jose";
import { z } from "zod";
import { post } from "@sightline/foundation/outbound/post";
import type { AllowedHosts } from "@sightline/foundation/outbound/allowed-hosts";
import { findAddresses } from "#git/addresses.ts";
import { SourceError } from "#git/source-error.ts";

export type Installation = {
  readonly host: string;
  readonly appId: string;
  readonly installationId: string;
  /** PEM. */
  readonly privateKey: string;
};

export type InstallationTokens = {
  /** A token that counts for at least five minutes more; kept in memory alone, under the key given. */
  readonly tokenFor: (key: string, installation: Installation, signal: AbortSignal) => Promise<string>;
  /** Drops a token that was refused. */
  readonly forget: (key: string) => void;
};

type Dependencies = { readonly clock: Clock; readonly allowPrivateHosts: AllowedHosts };

const MIN_LIFE_MS = 5 * 60_000;

const answerSchema = z.object({ token: z.string().regex(/^[\x21-\x7e]{1,4096}$/), expires_at: z.iso.datetime({ offset: true }) });

/** Exchanges the keys of GitHub Apps for tokens of an hour that read contents and nothing else. */
export function createInstallationTokens({ clock, allowPrivateHosts }: Dependencies): InstallationTokens {
  const known = new Map<string, { readonly token: string; readonly expiresAt: number }>();

  async function mint({ host, appId, installationId, privateKey }: Installation, signal: AbortSignal) {
    const now = Math.floor(clock.now().getTime() / 1_000);
    const proof = await new SignJWT({})
      .setProtectedHeader({ alg: "RS256" })
      .setIssuer(appId)
      // GitHub's clock may be behind ours, and ten minutes are the most it takes.
      .setIssuedAt(now - 60)
      .setExpirationTime(now + 8 * 60)
      .sign(createPrivateKey(privateKey));
    const url = new URL(`${apiOf(host)}/app/installations/${installationId}/access_tokens`);
    const answer = await askForToken(url, proof, { allowed: allowPrivateHosts, signal });
    const parsed = answer.status === 201 ? answerSchema.safeParse(answer.body) : undefined;
    if (parsed?.success !== true) {
      throw refusal(answer);
    }
    return { token: parsed.data.token, expiresAt: Date.parse(parsed.data.expires_at) };
  }

  return {
    tokenFor: async (key, installation, signal) => {
      const now = clock.now().getTime();
      for (const [other, { expiresAt }] of known) {
        if (expiresAt - now < MIN_LIFE_MS) {
          known.delete(other);
        }
      }
      const kept = known.get(key) ?? (await mint(installation, signal));
      known.set(key, kept);
      return kept.token;
    },
    forget: (key) => void known.delete(key),
  };
}

function apiOf(host: string): string {
  if (host === "github.com") {
    return "https://api.github.com";
  }
  return host.endsWith(".ghe.com") ? `https://api.${host}` : `https://${host}/api/v3`;
}

const LIMIT_MS = 20_000;
const MAX_ANSWER_BYTES = 1_048_576;

/** The body is `undefined` when it is no JSON. */
type JsonAnswer = { readonly status: number; readonly body: unknown };

type Reaching = { readonly allowed: AllowedHosts; readonly signal: AbortSignal };

/** @throws {SourceError} when there is no answer. */
async function askForToken(url: URL, proof: string, { allowed, signal }: Reaching): Promise<JsonAnswer> {
  const [address = url.hostname] = await findAddresses({ host: url.hostname, allowed, signal });
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  try {
    const { status, text } = await post({
      url,
      address,
      headers: { authorization: `Bearer ${proof}`, accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" },
      body: JSON.stringify({ permissions: { contents: "read" } }),
      maxBytes: MAX_ANSWER_BYTES,
      signal: limit,
    });
    return { status, body: parseJson(text) };
  } catch (error) {
    signal.throwIfAborted();
    const reason = limit.aborted ? `no answer within ${LIMIT_MS / 1_000} s` : errorMessage(error);
    throw new SourceError(`${url.host} could not be asked: ${reason}`, { transient: true, fromRemote: true, cause: error });
  }
}

function refusal({ status, body }: JsonAnswer): SourceError {
  const message = z.object({ message: z.string() }).safeParse(body).data?.message ?? "";
  const words = message.replaceAll(/[^\x20-\x7e]/g, " ").slice(0, 300);
  const lasting = [401, 403, 404, 422].includes(status) && !/rate limit/i.test(message);
  return new SourceError(`GitHub gave the app no token (${status}${words === "" ? "" : `: ${words}`}).`, {
    transient: !lasting,
    problem: lasting ? "access_refused" : "other",
    fromRemote: true,
  });
}
