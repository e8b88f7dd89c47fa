import type { Pool, PoolClient } from "pg";

export type Migration = {
  readonly name: string;
  readonly up: string;
  readonly down: string;
  /** SHA-256 of `up`. */
  readonly content: string;
};

/** A database that an unreleased version made, whose layout this one does not read. Nothing in it was changed. */
export class OlderLayoutError extends Error {}

/** Before the first release a part's only migration is edited: what another text of it made has another layout. */
export async function refuseOlderLayout(client: Pool | PoolClient, part: string, migrations: readonly Migration[]): Promise<void> {
  const { rows: columns } = await client.query<{ attname: string }>(
    "select attname from pg_attribute where attrelid = to_regclass('sightline.revisions') and attnum > 0",
  );
  if (columns.length === 0) {
    return;
  }
  if (!columns.some(({ attname }) => attname === "content")) {
    throw new OlderLayoutError(`${part} was made by an unreleased version of Sightline, in another layout`);
  }
  const { rows } = await client.query<{ name: string; content: string }>(
    "select name, content from sightline.revisions where part = $1 order by name",
    [part],
  );
  const newest = migrations.at(-1)?.name ?? "";
  const contents = new Map(migrations.map(({ name, content }) => [name, content]));
  const other = rows.find(({ name, content }) => name <= newest && contents.get(name) !== content);
  if (other !== undefined) {
    throw new OlderLayoutError(`${other.name} of ${part} was made by an unreleased version of Sightline, in another layout`);
  }
}
