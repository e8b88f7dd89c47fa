import { createOutput } from "#supervisor/log-lines.ts";
import { createSupervisor } from "#supervisor/supervisor.ts";

/** A supervisor in a process of its own, for a test that kills it. Arguments: the child's program. */
const output = createOutput({ format: "pretty", write: (text) => process.stdout.write(text), color: false });
const supervisor = createSupervisor({ output });
await supervisor.start([{ name: "child", program: process.argv[2] ?? "", words: ["good"], environment: process.env }]);
