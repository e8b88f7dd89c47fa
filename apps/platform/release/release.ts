/**
 * `npm run release -- --dry-run [--output FOLDER] [--repository URL]` makes what is published of both SDKs, with checksums and lists of components (SBOM),
 * and says what would be published. Nothing is uploaded: that needs the registries' own credentials, and is done by their own tools.
 */
import { parseArgs } from "node:util";
import { makeRelease } from "./make-release.ts";

const USAGE = `npm run release -- --dry-run [--output FOLDER] [--repository URL]

  --dry-run         make the packages, their checksums and SBOMs, and publish nothing
  --output FOLDER   where to (default ./release)
  --repository URL  the repository's web address (https://…), which the packages then name with the commit, as npm's provenance needs`;

const { values } = parseArgs({
  options: {
    "dry-run": { type: "boolean", default: false },
    output: { type: "string", default: "release" },
    repository: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(USAGE);
} else {
  const { files, publish, notes } = await makeRelease(values.output, values.repository);
  console.log(files.map(({ name, bytes, sha256 }) => `${sha256}  ${name}  (${Math.ceil(bytes / 1024)} KB)`).join("\n"));
  for (const note of notes) {
    console.log(note);
  }
  console.log(`\n${values["dry-run"] ? "Nothing was published. These commands would:" : "This command uploads nothing. Publish with:"}`);
  console.log(publish.map((command) => `  ${command}`).join("\n"));
  process.exitCode = values["dry-run"] ? 0 : 1;
}
