import type { Environment } from "./environment.ts";
import type { FirstAdmin } from "./prepare.ts";
import type { RoleName } from "./role-names.ts";
import { version } from "./version.ts";

type BannerOptions = {
  readonly roles: readonly RoleName[];
  readonly environment: Environment;
  readonly tookMs: number;
  readonly firstAdmin: FirstAdmin | undefined;
};

/** What a person needs once everything is up. */
export function renderBanner({ roles, environment, tookMs, firstAdmin }: BannerOptions): string {
  const consoleUrl = environment["PUBLIC_URL"] ?? "http://localhost:3000";
  const mcpUrl = `${environment["CODEINDEX_PUBLIC_URL"] ?? "http://localhost:8080"}/mcp`;
  const lines = [
    "",
    `  Sightline ${version} is up: ${roles.join(", ")} (${(tookMs / 1000).toFixed(1)} s)`,
    "",
    ...(roles.includes("console") ? [`  Console      ${consoleUrl}`] : []),
    ...(roles.includes("code-index") ? [`  MCP          ${mcpUrl}`] : []),
    `  Data         ${environment["SIGHTLINE_HOME"] ?? ""}`,
    ...(firstAdmin === undefined ? [] : ["", ...describeFirstAdmin(firstAdmin)]),
    ...(roles.includes("code-index")
      ? [
          "",
          `  Connect an assistant: make a token at ${consoleUrl}/code/connect, then`,
          `    claude mcp add --transport http sightline ${mcpUrl} --header "Authorization: Bearer <token>"`,
        ]
      : []),
    "",
    "  Ctrl-C stops everything.",
    "",
  ];
  return lines.join("\n");
}

/** Only here is the one-time password ever shown. */
export function describeFirstAdmin({ email, oneTimePassword }: FirstAdmin): readonly string[] {
  return oneTimePassword === undefined
    ? [`  First admin  ${email}, with the password from ADMIN_PASSWORD`]
    : [
        `  First admin  ${email}`,
        `  Password     ${oneTimePassword}   (for the first login only, where you choose your own; not shown again)`,
      ];
}
