import { deriveEnvironment } from "#settings/environment.ts";
import { UsageError } from "#settings/failure.ts";
import { withRunningAddresses } from "#settings/running.ts";

/** The address given by `--url`, or else the one of the product that runs here. @throws {UsageError} where it is none. */
export async function readCodeIndexUrl(given: string | undefined): Promise<URL> {
  const url = URL.parse(given ?? deriveEnvironment(await withRunningAddresses(process.env)).environment["CODEINDEX_PUBLIC_URL"] ?? "");
  if (url === null || !["http:", "https:"].includes(url.protocol) || url.username !== "" || url.password !== "") {
    throw new UsageError("The address (--url or CODEINDEX_PUBLIC_URL) starts with https:// or http:// and holds no name and no password.");
  }
  return url;
}
