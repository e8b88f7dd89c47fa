import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withoutUserInfo } from "@sightline/foundation/http/address";
import type { Environment } from "#settings/environment.ts";
import type { LogFormat } from "#supervisor/log-lines.ts";
import type { FirstAdmin } from "#compose/prepare.ts";
import type { RoleName } from "#settings/role-names.ts";
import { version } from "#settings/version.ts";

type BannerOptions = {
  readonly roles: readonly RoleName[];
  readonly environment: Environment;
  readonly tookMs: number;
  /** What `presentFirstAdmin` says. */
  readonly firstAdmin: readonly string[];
  /** Whether the demo comes after it. */
  readonly demo?: boolean;
  /** Whether nothing below a warning comes after it. */
  readonly isQuiet?: boolean;
};

type Presenting = { readonly format: LogFormat; readonly home: string };

/** Renders what a person needs once everything is up. */
export function renderBanner({ roles, environment, tookMs, firstAdmin, demo = false, isQuiet = false }: BannerOptions): string {
  const consoleUrl = environment["PUBLIC_URL"] ?? "http://localhost:3000";
  const mcpUrl = mcpUrlOf(environment);
  const otlpUrl = `${environment["OBSERVABILITY_PUBLIC_URL"] ?? "http://localhost:8000"}/v1/traces`;
  const eventsUrl = withoutUserInfo(environment["OBSERVABILITY_PUBLIC_REDIS_URL"] ?? environment["OBSERVABILITY_REDIS_URL"] ?? "");
  const lines = [
    "",
    `  Sightline ${version} is up: ${roles.join(", ")} (${(tookMs / 1000).toFixed(1)} s)`,
    "",
    ...(roles.includes("console") ? [`  Console      ${consoleUrl}`] : []),
    ...(roles.includes("code-index") ? [`  MCP          ${mcpUrl}`] : []),
    ...(roles.includes("observability") ? [`  OTLP         ${otlpUrl}`] : []),
    ...(roles.includes("consumer") ? [`  Events       ${eventsUrl}`] : []),
    `  Data         ${environment["SIGHTLINE_HOME"] ?? ""}`,
    ...(firstAdmin.length === 0 ? [] : ["", ...firstAdmin]),
    ...(roles.includes("code-index") ? ["", ...presentConnecting(environment, consoleUrl)] : []),
    "",
    ...(demo ? ["  The demo is being made in the background: this repository's index first, then two runs of an agent."] : []),
    ...(isQuiet ? ["  From here on only warnings and errors are shown; LOG_LEVEL=INFO shows everything."] : []),
    "  Ctrl-C stops everything.",
    "",
  ];
  return lines.join("\n");
}

function mcpUrlOf(environment: Environment): string {
  return `${environment["CODEINDEX_PUBLIC_URL"] ?? "http://localhost:8080"}/mcp`;
}

/** Without a token only where an identity service lets assistants in. */
function presentConnecting(environment: Environment, consoleUrl: string): readonly string[] {
  const add = `    claude mcp add --transport http sightline ${mcpUrlOf(environment)}`;
  const addWithToken = `${add} --header "Authorization: Bearer <token>"`;
  return environment["CODEINDEX_JWT_EPOCHS_URL"] === undefined
    ? [`  Connect an assistant: make a token at ${consoleUrl}/code/connect, then`, addWithToken]
    : [
        "  Connect an assistant; it opens the browser to sign in:",
        add,
        "    claude mcp login sightline",
        `  Or with a token of ${consoleUrl}/code/connect:`,
        addWithToken,
      ];
}

/**
 * The one-time password is shown only here. A log for machines is stored and read by others, so there it goes to a file
 * that only its owner reads.
 */
export async function presentFirstAdmin(admin: FirstAdmin | undefined, { format, home }: Presenting): Promise<readonly string[]> {
  if (admin === undefined) {
    return [];
  }
  const { email, oneTimePassword } = admin;
  if (oneTimePassword === undefined) {
    return [`  First admin  ${email}, with the password from ADMIN_PASSWORD`];
  }
  if (format === "json") {
    const file = join(home, "first-admin-password");
    await writeFile(file, `${oneTimePassword}\n`, { mode: 0o600 });
    return [`  First admin  ${email}`, `  Password     in ${file}; delete it after the first login`];
  }
  return [
    `  First admin  ${email}`,
    `  Password     ${oneTimePassword}   (for the first login only, where you choose your own; no later start shows it)`,
  ];
}
