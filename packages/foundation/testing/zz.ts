import { PGlite } from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { vector } from "@electric-sql/pglite-pgvector";
let t = performance.now();
const lap = (n: string) => {
  console.log(n, (performance.now() - t).toFixed(0));
  t = performance.now();
};
const db = await PGlite.create({ extensions: { pg_trgm, vector } });
lap("create");
const dump = await db.dumpDataDir("none");
lap("dump");
console.log(dump.size);
await PGlite.create({ extensions: { pg_trgm, vector }, loadDataDir: dump });
lap("load");
await PGlite.create({ extensions: { pg_trgm, vector } });
lap("create again");
