-- Prompts: versions that never change, and labels that say which of them is meant

create table observability.prompts (
  project_id uuid not null,
  id uuid not null,
  name text not null,
  -- The newest version; writers hold this row while they make the next, or move a label.
  version int not null default 0,
  created_by text not null,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  primary key (project_id, id),
  unique (project_id, name)
);

create table observability.prompt_versions (
  project_id uuid not null,
  prompt_id uuid not null,
  version int not null,
  -- A text, or a list of messages.
  template json not null,
  config json not null,
  author text not null,
  reason text not null,
  made_at timestamptz not null,
  primary key (project_id, prompt_id, version)
);

create table observability.prompt_labels (
  project_id uuid not null,
  prompt_id uuid not null,
  label text not null,
  version int not null,
  changed_by text not null,
  changed_at timestamptz not null,
  primary key (project_id, prompt_id, label)
);
