drop table codeindex.histories;
