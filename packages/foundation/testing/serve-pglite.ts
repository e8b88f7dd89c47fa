/**
 * Run as `node serve-pglite.ts PORT [FOLDER]`: a PGlite behind the server that the product has in front of its own; empty and
 * in memory, or on what is in the folder.
 */
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { PGlite } from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { vector } from "@electric-sql/pglite-pgvector";
import { createWireServer } from "#embedded-postgres/wire-server.ts";

const CACHE = new URL("../../../node_modules/.cache/sightline/", import.meta.url);
const extensions = { pg_trgm, vector };

const [, , port, dataDir] = process.argv;
const db = dataDir === undefined ? await createEmpty() : await PGlite.create({ extensions, dataDir });
const { server } = createWireServer({
  db,
  onFailure: (error) => {
    console.error(error);
    process.exit(1);
  },
});
server.listen(Number(port), "127.0.0.1");

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
