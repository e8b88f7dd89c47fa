import type { Principal } from "@sightline/foundation/http/principal";

/** The user or key that limits are counted for. */
export function ownerOf(principal: Principal): string {
  switch (principal.kind) {
    case "user":
      return `${principal.tenantId} ${principal.userId}`;
    case "project-key":
      return principal.keyId;
    case "developer-token":
      return principal.tokenId;
    case "operator":
      return "operator";
    default:
      return principal satisfies never;
  }
}
