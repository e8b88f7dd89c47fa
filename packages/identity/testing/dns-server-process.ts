import { z } from "zod";
import { startDnsServer } from "./dns-server.ts";

/** A name server in a process of its own, for tests from outside of the part: each message is a name's only record from then on. */
const recordSchema = z.object({ name: z.string(), value: z.string() });

const { address, records } = await startDnsServer();
process.on("message", (told) => {
  const { name, value } = recordSchema.parse(told);
  records.set(name, [value]);
  process.send?.({ done: true });
});
process.on("disconnect", () => process.exit());
process.send?.({ address });
