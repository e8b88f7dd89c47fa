/** Where the console's same-origin proxy serves this API. */
export const PROXY_PATH = "/api/identity";

/** The one scope: what an app may see is chosen by the person who lets it in, not by the app. */
export const SCOPE = "mcp";

/** RFC 8693, by jobs that an organization trusts; they register nothing, and are one client to the library. */
export const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
export const WORKLOAD_CLIENT = "sightline-workload";

/** The audience of apps' tokens. */
export function mcpResource(codeIndexUrl: string): string {
  return `${codeIndexUrl}/mcp`;
}

/** RFC 8414: what apps read first. */
export function authorizationServer(publicUrl: string) {
  const api = `${publicUrl}${PROXY_PATH}`;
  return {
    issuer: publicUrl,
    authorization_endpoint: `${api}/oauth/authorize`,
    token_endpoint: `${api}/oauth/token`,
    registration_endpoint: `${api}/oauth/register`,
    revocation_endpoint: `${api}/oauth/revoke`,
    jwks_uri: `${api}/.well-known/jwks.json`,
    grant_types_supported: ["authorization_code", "refresh_token", TOKEN_EXCHANGE],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    scopes_supported: [SCOPE],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  };
}
