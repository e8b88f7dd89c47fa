-- A trace's entry in the list is found by numbers of its project, a field and a value.

create function observability.trace_key(project uuid, field text, value text) returns bigint language sql immutable parallel safe as $$
  select hashtextextended(left(value, 200), hashtextextended(field, uuid_hash_extended(project, 0)))
$$;
