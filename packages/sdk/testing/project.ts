import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const PROJECT_ID = "0192f7a0-0000-7000-8000-000000000001";

// What one test's publisher leaves behind is no other file's matter.
process.env["XDG_CACHE_HOME"] = mkdtempSync(join(tmpdir(), "sightline-sdk-"));
