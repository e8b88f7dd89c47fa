drop table codeindex.watch_alerts, codeindex.saved_searches;
