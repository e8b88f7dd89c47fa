import { writeFile } from "node:fs/promises";
import { EVENT_SCHEMA_FILE, eventJsonSchema } from "./event-schema-file.ts";

// Run by `npm run event-schema -w @sightline/observability` after event.ts has changed.
await writeFile(EVENT_SCHEMA_FILE, JSON.stringify(eventJsonSchema()));
