drop table observability.views;
