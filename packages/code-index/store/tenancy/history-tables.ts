import { sql, type RawBuilder } from "kysely";

/** A branch's newest commits, what they say of files, and what they changed. */
export function historyTables(schema: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
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
      -- What store/index/first-parents.ts packs.
      first_parents bytea,
      -- What the paths whose changes are left out were chosen by: other rules, and all is written anew.
      rules text,
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
      -- How many of the terms, from the first on, are its subject's.
      subject_terms integer not null,
      -- What it changed, up to a limit; of a file that was moved both names.
      paths text[] not null,
      paths_total integer not null,
      -- Files that were moved as they are: the new name, and in the same place the old one.
      moved_to text[] not null,
      moved_from text[] not null,
      -- Files that differ from its first parent, of which the table of changes has the first ones; null when only their names were fetched.
      changes_total integer,
      primary key (repo_id, ref, position),
      foreign key (repo_id, ref) references ${schema}.histories on delete cascade
    );

    create index commits_commit on ${schema}.commits (repo_id, ref, commit text_pattern_ops);
    create index commits_paths on ${schema}.commits using gin (paths);
    create index commits_terms on ${schema}.commits using gin (terms);
    create index commits_crowded on ${schema}.commits (repo_id, ref) where paths_total > cardinality(paths);

    -- What the newest commits of a file say: the words of their subjects, with blanks between them.
    create table ${schema}.subject_words (
      repo_id uuid not null,
      ref text not null,
      path text not null,
      words text not null,
      primary key (repo_id, ref, path),
      foreign key (repo_id, ref) references ${schema}.histories on delete cascade
    );

    -- What a commit changed of a file, compared with its first parent.
    create table ${schema}.changes (
      repo_id uuid not null,
      ref text not null,
      position integer not null,
      -- Of a deleted file the name it had.
      path text not null,
      -- Of a file that was moved the name before.
      old_path text,
      status text not null check (status in ('added', 'deleted', 'modified', 'renamed')),
      -- git's id of the content; null when there is none any more.
      blob text,
      added integer not null,
      deleted integer not null,
      -- The hunks of git's diff, compressed; null where there are none, or why they were left out.
      patch bytea,
      left_out text,
      primary key (repo_id, ref, position, path),
      foreign key (repo_id, ref, position) references ${schema}.commits on delete cascade
    );
    create index changes_path on ${schema}.changes (repo_id, ref, path text_pattern_ops);
    create index changes_old_path on ${schema}.changes (repo_id, ref, old_path) where old_path is not null;
    alter table ${schema}.changes alter column patch set storage external;
  `;
}
