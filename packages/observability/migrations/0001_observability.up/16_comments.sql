-- Comments of people, and whom is yet to be told that a comment mentions them

create table observability.comments (
  project_id uuid not null,
  id uuid not null,
  subject text not null check (subject in ('trace', 'step', 'item', 'run', 'score')),
  -- Of a trace, a step and a score the trace, of an item the dataset, of a run the experiment; with that it is deleted.
  within_id uuid not null,
  -- Of a run its item: repetitions and attempts share their comments.
  subject_id uuid not null,
  -- With accounts that are mentioned as `@` and their id.
  text text not null,
  author text not null,
  created_at timestamptz not null,
  edited_at timestamptz,
  primary key (project_id, id)
);
create index comments_by_time on observability.comments (project_id, within_id, created_at, id);
create index comments_by_subject on observability.comments (project_id, subject_id);

-- Written with the comment in one transaction, deleted once told. The id is the notice's, which is therefore there once, however often it is written.
create table observability.comment_mentions (
  id uuid primary key,
  project_id uuid not null references observability.projects (id) on delete cascade,
  comment_id uuid not null,
  user_id uuid not null,
  next_try_at timestamptz not null
);
create index comment_mentions_due on observability.comment_mentions (next_try_at);
create index comment_mentions_by_project on observability.comment_mentions (project_id);
