alter table codeindex.developer_tokens drop column evaluation;
