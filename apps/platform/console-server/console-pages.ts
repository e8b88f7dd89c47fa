import staticFiles from "@fastify/static";
import { refusal } from "@sightline/foundation/errors";
import type { Routes } from "@sightline/foundation/http/http-server";
import { CONTENT_SECURITY_POLICY } from "./content-security-policy.ts";

/** Vite puts a hash of the content into the names below `assets/`, so they never change. */
const HASHED = /[/\\]assets[/\\]/;

/** Search engines don't list what whoever has the link may see. */
const UNLISTED = { "x-robots-tag": "noindex, nofollow" };

/** Serves the built web app in `folder`; an address that is a page of the app, not a file, answers the app itself. */
export function consolePages(folder: string): Routes {
  return async (server) => {
    await server.register(staticFiles, { root: folder, serve: false, cacheControl: false, index: false, preCompressed: true });
    server.get("/*", { config: { auth: "public" }, schema: { hide: true } }, async (request, reply) => {
      const path = request.url.split("?")[0] ?? "/";
      reply.header("content-security-policy", CONTENT_SECURITY_POLICY);
      if (path === "/" || isPage(path, request.headers.accept)) {
        return reply.headers({ "cache-control": "no-cache", ...(path.startsWith("/shared/") ? UNLISTED : {}) }).sendFile("index.html");
      }
      reply.header("cache-control", cachingOf(path));
      return reply.sendFile(decode(path));
    });
  };
}

/** A package of an SDK keeps its name while its content changes, so whoever has it asks whether it is still the same. */
function cachingOf(path: string): string {
  if (path.startsWith("/sdk/")) {
    return "no-cache";
  }
  return HASHED.test(path) ? "public, max-age=31536000, immutable" : "public, max-age=3600";
}

/** A browser that goes to an address asks for HTML; one that loads a part of a page does not. */
function isPage(path: string, accept = ""): boolean {
  const isFile = ["/assets/", "/api/", "/sdk/"].some((folder) => path.startsWith(folder));
  return !isFile && accept.includes("text/html");
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path).replace(/^\/+/, "");
  } catch (error) {
    throw refusal(400, "invalid_request", "The address is not well formed.", { cause: error });
  }
}
