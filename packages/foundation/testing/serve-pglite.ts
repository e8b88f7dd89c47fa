/** Run as `node serve-pglite.ts PORT`: an empty PGlite in memory behind its wire-protocol server. */
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { PGlite } from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { vector } from "@electric-sql/pglite-pgvector";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";

const CACHE = new URL("../../../node_modules/.cache/sightline/", import.meta.url);
const extensions = { pg_trgm, vector };

const db = await createEmpty();
await new PGLiteSocketServer({ db, host: "127.0.0.1", port: Number(process.argv[2]), maxConnections: 100 }).start();

/** Making the first database takes several times as long as loading it, and every test file has one. */
async function createEmpty(): Promise<PGlite> {
  // A linked install has a package's version in its path.
  const version = createHash("sha256")
    .update(import.meta.resolve("@electric-sql/pglite"))
    .digest("hex")
    .slice(0, 16);
  const cached = new URL(`pglite-${version}.tar`, CACHE);
  const dump = await readFile(cached).catch(() => undefined);
  if (dump !== undefined) {
    return PGlite.create({ extensions, loadDataDir: new Blob([dump]) });
  }
  const fresh = await PGlite.create({ extensions });
  const unfinished = new URL(`${cached.href}.${process.pid}`);
  await mkdir(CACHE, { recursive: true });
  await writeFile(unfinished, Buffer.from(await (await fresh.dumpDataDir("none")).arrayBuffer()));
  await rename(unfinished, cached);
  return fresh;
}
