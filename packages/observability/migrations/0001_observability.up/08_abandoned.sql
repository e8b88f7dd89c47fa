-- Status: running, abandoned, or how it ended; decided here for every statement

-- A trace that has not ended is abandoned when every producer that could end it or one of its open steps is gone. Without
-- its start and without open steps it is up to those that sent the others.
create function observability.status_of(project uuid, trace uuid, of_day date, status text, starter uuid)
returns text language sql stable parallel safe as $$
  select case when status = 'running' and (
    select coalesce(bool_and(producer.gone_at is not null), false)
    from observability.producers as producer
    where producer.project_id = project and producer.producer_id in (
      select starter
      union all
      select coalesce(step.start_producer, step.end_producer)
      from observability.observations as step
      where step.project_id = project and step.trace_id = trace and step.day = of_day and (step.end_status is null or starter is null)
    )
  ) then 'abandoned' else status end
$$;
