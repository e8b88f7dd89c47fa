import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { scriptedAnswersSchema, startAnsweringModel } from "./answering-model.ts";

/** A model that answers from a file, to look at judges without a network: `npm run fake-model -w @sightline/observability -- [PORT] [FILE]`. */
const [port = "11500", file = fileURLToPath(new URL("model-answers.json", import.meta.url))] = process.argv.slice(2);
const { url } = await startAnsweringModel(scriptedAnswersSchema.parse(JSON.parse(readFileSync(file, "utf8"))), Number(port));
process.stdout.write(`${url} answers from ${file}. Start Sightline with OBSERVABILITY_ALLOW_MODEL_HOSTS=127.0.0.1.\n`);
