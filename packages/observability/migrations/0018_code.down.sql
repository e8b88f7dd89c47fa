drop table observability.code_hours;
