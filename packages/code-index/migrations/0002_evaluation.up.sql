-- Whether the token opens issues and experiments, too, and adds items to datasets where its maker may.
alter table codeindex.developer_tokens add column evaluation boolean not null default false;
