import { auth, type OAuthClientProvider } from "@modelcontextprotocol/client";

type Stored = Awaited<ReturnType<NonNullable<OAuthClientProvider["tokens"]>>>;
type Registered = Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>;

type Discovered = Awaited<ReturnType<NonNullable<OAuthClientProvider["discoveryState"]>>>;

export type Assistant = {
  readonly provider: OAuthClientProvider;
  readonly accessToken: () => string;
  readonly refreshToken: () => string;
  readonly clientId: () => string;
  /** Where the browser is to go. */
  readonly asked: () => URL;
  /** Begins as an assistant does that was answered 401. */
  readonly begin: (serverUrl: URL) => Promise<void>;
  /** Takes what the browser brought back. */
  readonly finish: (serverUrl: URL, callback: URL) => Promise<void>;
  readonly refresh: (serverUrl: URL) => Promise<void>;
};

/** An assistant with the protocol's own client, which keeps in memory what others keep in a file. */
export function makeAssistant(redirectUrl = "http://127.0.0.1:41999/callback"): Assistant {
  let registered: Registered;
  let tokens: Stored;
  let discovered: Discovered;
  let verifier = "";
  let asked: URL | undefined;
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { client_name: "Test assistant", redirect_uris: [redirectUrl] },
    state: () => "the-state",
    clientInformation: () => registered,
    saveClientInformation: (information) => void (registered = information),
    tokens: () => tokens,
    saveTokens: (saved) => void (tokens = saved),
    redirectToAuthorization: (url) => void (asked = url),
    saveCodeVerifier: (text) => void (verifier = text),
    codeVerifier: () => verifier,
    saveDiscoveryState: (state) => void (discovered = state),
    discoveryState: () => discovered,
  };
  const present = <Value>(value: Value | undefined): Value => {
    if (value === undefined) {
      throw new Error("The assistant has not come that far.");
    }
    return value;
  };
  return {
    provider,
    accessToken: () => present(tokens).access_token,
    refreshToken: () => present(present(tokens).refresh_token),
    clientId: () => present(registered).client_id,
    asked: () => present(asked),
    begin: async (serverUrl) => {
      if ((await auth(provider, { serverUrl })) !== "REDIRECT") {
        throw new Error("The assistant did not open the browser.");
      }
    },
    finish: async (serverUrl, { searchParams: parameters }) => {
      const [authorizationCode, iss] = [parameters.get("code"), parameters.get("iss")];
      await auth(provider, { serverUrl, authorizationCode: present(authorizationCode ?? undefined), iss: present(iss ?? undefined) });
    },
    refresh: async (serverUrl) => void (await auth(provider, { serverUrl })),
  };
}
