-- Whether the token opens what its maker may see of other parts, too. Tokens that were made before opened code alone, and go on to.
alter table codeindex.developer_tokens add column traces boolean not null default false;
