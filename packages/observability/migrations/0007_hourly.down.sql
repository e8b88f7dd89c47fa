drop table observability.hourly_marks, observability.hourly;
drop index observability.observations_by_hour;
