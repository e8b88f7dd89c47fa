/** Run as `node serve-pglite.ts PORT`: an empty PGlite in memory behind its wire-protocol server. */
import { PGlite } from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { vector } from "@electric-sql/pglite-pgvector";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";

const db = await PGlite.create({ extensions: { pg_trgm, vector } });
await new PGLiteSocketServer({ db, host: "127.0.0.1", port: Number(process.argv[2]), maxConnections: 100 }).start();
