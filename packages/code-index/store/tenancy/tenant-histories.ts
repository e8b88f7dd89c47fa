import { sql, type RawBuilder } from "kysely";

/** `tenantId` and `schemaName` are literals of the SQL's own: they stand where no parameter can. */
export type TenantTemplate = {
  readonly schema: RawBuilder<unknown>;
  readonly schemaName: RawBuilder<unknown>;
  readonly tenantId: RawBuilder<unknown>;
};

/** A name without what it is inside of, in lower case: `Server::start` is `start`. The index is made of the very same words. */
export function lastName(name: RawBuilder<unknown>): RawBuilder<string> {
  return sql`lower(coalesce(substring(${name} from '[^.:#]+$'), ${name}))`;
}

/** The newest commits of each branch, and names that are found in either case and without what they are inside of. */
export function historyIsKept({ schema }: TenantTemplate): RawBuilder<unknown> {
  return sql`
    -- What is known of a branch's history.
    create table ${schema}.histories (
      repo_id uuid not null,
      ref text not null,
      -- The newest commit that is kept; null before the first fetch.
      commit text,
      commits integer not null default 0,
      -- Whether it reaches back to the first commit.
      complete boolean not null default false,
      -- Of the commits that are seen; others are being written.
      first_position integer not null default 1,
      last_position integer not null default 0,
      -- Raised by each who begins to write: who wrote before stops.
      writer integer not null default 0,
      fetched_at timestamptz,
      last_error text,
      primary key (repo_id, ref)
    );

    create table ${schema}.commits (
      repo_id uuid not null,
      ref text not null,
      -- A child's is higher than its parents'.
      position integer not null,
      commit text not null,
      parents text[] not null,
      author text not null,
      author_email text not null,
      authored_at timestamptz not null,
      committed_at timestamptz not null,
      subject text not null,
      body text not null,
      -- The words of subject and body, as searches have them.
      terms text[] not null,
      -- What it changed, up to a limit; of a file that was moved both names.
      paths text[] not null,
      paths_total integer not null,
      -- Files that were moved as they are: the new name, and in the same place the old one.
      moved_to text[] not null,
      moved_from text[] not null,
      primary key (repo_id, ref, position),
      foreign key (repo_id, ref) references ${schema}.histories on delete cascade
    );

    drop index ${schema}.symbols_name;
    create index symbols_last_name on ${schema}.symbols (${lastName(sql.ref("name"))} text_pattern_ops);

    -- Documents that use more names than are kept.
    create index symbol_references_crowded on ${schema}.symbol_references (document_id) where cardinality(names) >= 500;
  `;
}
