import { createOutput } from "#supervisor/log-lines.ts";
import { createSupervisor } from "#supervisor/supervisor.ts";

/** A supervisor in a process of its own, for a test that kills it. Arguments: the children's program, and what each of them does. */
const [program = "", ...behaviours] = process.argv.slice(2);
const output = createOutput({ format: "pretty", write: (text) => process.stdout.write(text), color: false });
const supervisor = createSupervisor({ output });
await supervisor.start(behaviours.map((words) => ({ name: words, program, words: [words], environment: process.env })));
console.log("all are ready");
