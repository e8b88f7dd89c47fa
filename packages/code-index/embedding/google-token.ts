import { LATE, raceAbort, within } from "@sightline/foundation/deadline";
import { errorMessage } from "@sightline/foundation/errors";
import type { GoogleAuth } from "google-auth-library";
import { EmbedderError } from "./embedder.ts";

const TOKEN_MS = 15_000;
const SCOPE = "https://www.googleapis.com/auth/cloud-platform";

/** Access tokens of wherever this runs (application-default credentials). */
export function createGoogleTokens(project: string): (signal: AbortSignal) => Promise<string> {
  let google: Promise<GoogleAuth> | undefined;
  return async (signal) => accessToken(await (google ??= loadGoogle(project)), signal);
}

/** The library is large, and most have another embedder. */
async function loadGoogle(project: string): Promise<GoogleAuth> {
  const { GoogleAuth } = await import("google-auth-library");
  return new GoogleAuth({ scopes: [SCOPE], projectId: project });
}

/** The library keeps it until shortly before it ends. */
async function accessToken(google: GoogleAuth, signal: AbortSignal): Promise<string> {
  try {
    const token = await within(() => raceAbort(google.getAccessToken(), signal), TOKEN_MS);
    if (token === LATE) {
      throw new Error(`no access token within ${TOKEN_MS / 1000} s`);
    }
    if (typeof token === "string" && token !== "") {
      return token;
    }
    throw new Error("no access token was issued");
  } catch (error) {
    signal.throwIfAborted();
    throw new EmbedderError(`Google Cloud gave no access token: ${errorMessage(error).slice(0, 300)}`, { transient: true, cause: error });
  }
}
