import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { post, type Session } from "./identity-client.ts";
import type { Credentials } from "./log-in.ts";
import type { Product } from "./product.ts";

type Stage = { readonly product: Product; readonly person: Credentials };

/** On a machine that does nothing else each takes some ten seconds. */
const TEST_MS = 300_000;
const CHECKS = ["not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance"];

/** By API, the paths that are not called. */
const EXCLUDED = {
  // Its own protocol, which the official conformance suite calls.
  "code-index": "^/mcp$",
  // A stream that does not end.
  observability: "/live$",
  // Would end the session that asks, or demand a second factor of it.
  identity: "^/(logout|admin/policy)$",
};

/** The documents that other people's clients are generated from, held against what the services answer to what they describe. */
export function describeApiDocuments(stage: () => Stage): void {
  describe("schemathesis finds no answer that the document does not describe", () => {
    let python: string;
    let session: Session;

    beforeAll(async () => {
      const script = fileURLToPath(new URL("../tools/python-environment.sh", import.meta.url));
      python = (await promisify(execFile)(script, ["e2e/requirements.txt"])).stdout.trim();
      const { product, person } = stage();
      session = await post<Session>(`${product.consoleUrl}/api/identity/login/access-token`, person);
      await post(`${product.consoleUrl}/api/identity/step-up`, { password: person.password }, session);
    });

    test.each(Object.entries(EXCLUDED))("of %s", { timeout: TEST_MS }, async (name, excluded) => {
      const at = `${stage().product.consoleUrl}/api/${name}`;
      const words = ["run", `${at}/docs/json`, "--url", at, "--exclude-path-regex", excluded, "--checks", CHECKS.join(",")];
      // Every operation, with what its schema allows and what it does not; the same requests every time.
      const bounds = ["--seed", "1", "--phases", "coverage", "--continue-on-failure"];
      const headers = ["-H", `Authorization: Bearer ${session.access_token}`];
      const schemathesis = ["-m", "schemathesis.cli", ...words, ...bounds, ...headers, "--no-color", "--warnings", "off"];
      // It leaves files where it runs.
      const ended = await promisify(execFile)(python, schemathesis, { maxBuffer: 1e8, cwd: tmpdir() }).catch(
        (error: { readonly stdout: string }) => error,
      );
      expect(ended.stdout).toMatch(/Test cases:\s+(\d{2,}) generated, \1 passed/);
    });
  });
}
