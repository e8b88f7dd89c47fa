import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A bare repository that a clone beside it is pushed to, and that tells of each push by a webhook. */
export type Origin = {
  /** `file://` address to fetch it from. */
  readonly url: string;
  readonly files: number;
  readonly bytes: number;
  /** Writes files, commits and pushes them; the webhook has been answered when it returns. */
  readonly push: (files: Readonly<Record<string, string>>) => Promise<void>;
  /** Whether pushes are told of. */
  readonly tell: (told: boolean) => Promise<void>;
  readonly remove: () => Promise<void>;
};

type Hook = { readonly webhookUrl: string; readonly secret: string; readonly fullName: string };

/** With `count` generated files. */
export async function createOrigin(count: number, hook: Hook): Promise<Origin> {
  const folder = await mkdtemp(join(tmpdir(), "sightline-origin-"));
  const [bare, work] = [join(folder, "origin.git"), join(folder, "work")];
  const git = async (...given: readonly string[]) => {
    const identity = ["-c", "user.name=Bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false", "-c", "gc.auto=0"];
    await run("git", ["-C", work, ...identity, ...given], { maxBuffer: 64 * 1024 * 1024 });
  };
  await run("git", ["init", "--quiet", "--bare", "--initial-branch=main", bare]);
  await run("git", ["clone", "--quiet", bare, work]);
  const files = Object.fromEntries(Array.from({ length: count }, (_, index) => [pathOf(index), moduleOf(index)]));
  const write = async (given: Readonly<Record<string, string>>) => {
    for (const [path, content] of Object.entries(given)) {
      await mkdir(dirname(join(work, path)), { recursive: true });
      await writeFile(join(work, path), content);
    }
    await git("add", "--all");
    await git("commit", "--quiet", "--message", "Change");
  };
  await write(files);
  await git("push", "--quiet", "origin", "HEAD:main");
  await writeFile(join(bare, "hooks", "post-receive"), scriptOf(hook));
  const origin: Origin = {
    url: pathToFileURL(bare).toString(),
    files: count,
    bytes: Object.values(files).reduce((sum, content) => sum + Buffer.byteLength(content), 0),
    push: async (given) => {
      await write(given);
      await git("push", "--quiet", "origin", "HEAD:main");
    },
    tell: (told) => chmod(join(bare, "hooks", "post-receive"), told ? 0o755 : 0o644),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
  await origin.tell(true);
  return origin;
}

/** What a host does: one delivery for each branch, signed, with an identifier of its own. */
function scriptOf({ webhookUrl, secret, fullName }: Hook): string {
  return `#!/bin/sh
while read -r before after ref; do
  body="{\\"full_name\\":\\"${fullName}\\",\\"ref\\":\\"$ref\\",\\"before\\":\\"$before\\",\\"after\\":\\"$after\\"}"
  signature=$(printf '%s' "$body" | openssl dgst -sha256 -hmac '${secret}' -r | cut -d ' ' -f 1)
  curl --silent --show-error --fail --max-time 10 --output /dev/null -H 'Content-Type: application/json' \\
    -H "X-Delivery-Id: $after" -H "X-Signature-256: sha256=$signature" --data-binary "$body" '${webhookUrl}'
done
`;
}

const FOLDERS = 60;

export function pathOf(index: number): string {
  return `packages/p${index % FOLDERS}/src/module-${index}.ts`;
}

const VERBS = ["parse", "render", "fetch", "merge", "validate", "schedule", "encode", "route", "cache", "retry", "sort", "publish"];
const NOUNS = ["Order", "Invoice", "Session", "Token", "Record", "Branch", "Cursor", "Query", "Buffer", "Event", "Customer", "Payload"];

/** A module of about 3 kB that has names of its own, and shares words with the others. */
export function moduleOf(index: number, note = ""): string {
  const functions = Array.from({ length: 8 }, (_, number) => {
    const seed = index * 31 + number * 17;
    const [verb, noun] = [VERBS[seed % VERBS.length], NOUNS[(seed >> 3) % NOUNS.length]];
    const name = `${verb}${noun}${index}x${number}`;
    return `/** ${verb} the ${noun} of step ${number}, as module ${index} has it. */
export function ${name}(given: readonly string[], limit = ${seed % 97}): string[] {
  const found: string[] = [];
  for (const [position, one] of given.entries()) {
    if (one.length > limit + ${number} && position % ${(seed % 7) + 2} === 0) {
      found.push(\`\${one}-${verb}-\${position}\`);
    }
  }
  return found.length === 0 ? ["empty ${noun}"] : found;
}
`;
  });
  return `${note === "" ? "" : `// ${note}\n`}import { log } from "../shared/log.ts";\n\n${functions.join("\n")}\nlog("module ${index}");\n`;
}
