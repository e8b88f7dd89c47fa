import { randomBytes } from "node:crypto";

/** The secrets that every process of one product shares. */
export function makeSecrets() {
  const secret = () => randomBytes(32).toString("base64url");
  return {
    ENCRYPTION_KEYS: `e2e:${secret()}`,
    CODEINDEX_ENCRYPTION_KEYS: `e2e:${secret()}`,
    CODEINDEX_WEBHOOK_SECRET: secret(),
    SECRET_KEY: secret(),
    API_KEY: `studio_${randomBytes(32).toString("hex")}`,
  };
}
