import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const amount = z.number().min(0);

const fileSchema = z.object({
  as_of: z.iso.date(),
  providers: z.array(
    z.object({
      source: z.string(),
      models: z.record(
        z.string(),
        z.object({ input: amount, output: amount, cache_read: amount.optional(), cache_write: amount.optional() }),
      ),
    }),
  ),
});

export type DefaultPrice = {
  readonly model: string;
  readonly input: number;
  readonly output: number;
  readonly cache_read?: number | undefined;
  readonly cache_write?: number | undefined;
  readonly source: string;
};

/** Reads the prices that come with the product, with their source and date. */
export async function readDefaultPrices(): Promise<readonly DefaultPrice[]> {
  const text = await readFile(join(import.meta.dirname, "default-prices.json"), "utf8");
  const { as_of: asOf, providers } = fileSchema.parse(JSON.parse(text));
  return providers.flatMap(({ source, models }) =>
    Object.entries(models).map(([model, prices]) => ({ model, ...prices, source: `${source}, ${asOf}` })),
  );
}
